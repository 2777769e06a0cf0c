-- Whoever writes to people knows who is suspended.
DROP VIEW published_emails;

CREATE VIEW published_emails AS
SELECT
    emails.user_id, emails.org_id, emails.address, emails.proven,
    CASE WHEN users.suspended_at IS NULL THEN 0 ELSE 1 END AS suspended
FROM person_emails AS emails JOIN users ON users.id = emails.user_id
WHERE emails.address IS NOT NULL;
