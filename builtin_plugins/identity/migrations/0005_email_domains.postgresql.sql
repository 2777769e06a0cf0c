CREATE INDEX person_emails_by_domain ON person_emails ((split_part(address_key, '@', 2)));

CREATE VIEW published_email_domains AS
SELECT user_id, org_id, split_part(address_key, '@', 2) AS domain FROM person_emails WHERE proven = 1 AND address_key IS NOT NULL;
