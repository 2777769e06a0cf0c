-- name: insert_mail [quick]
INSERT INTO mails (
    id, org_id, user_id, name, address, address_key, urgent, state, attempts, due_at, expires_at, error, created_at,
    ended_at
)
VALUES (
    :id, :org_id, CAST(:user_id AS TEXT), :name, :address, :key, :urgent, :state, 0, CAST(:due_at AS BIGINT),
    CAST(:expires_at AS BIGINT), CAST(:error AS TEXT), :now, CAST(:ended_at AS BIGINT)
)

-- name: recent [quick]
-- How much went to an address, and of one name to a person, since a moment.
SELECT
    (
        SELECT COUNT(*) FROM mails
        WHERE address_key = :key AND created_at > :since AND urgent = :urgent AND state <> 'held_back'
    ) AS to_address,
    (
        SELECT COUNT(*) FROM mails
        WHERE user_id = CAST(:user_id AS TEXT) AND created_at > :since AND name = :name AND state <> 'held_back'
    ) AS to_person,
    (
        SELECT COUNT(*) FROM mails
        WHERE address_key = :key AND created_at > :since AND name = :name AND state <> 'held_back'
    ) AS of_name,
    (
        SELECT COUNT(*) FROM mails
        WHERE address_key = :key AND created_at > :refused_since AND state = 'refused'
    ) AS refused

-- name: claim (sqlite)
UPDATE mails SET due_at = :until, attempts = attempts + 1
WHERE id IN (
    SELECT id FROM mails WHERE state = 'waiting' AND due_at <= :now ORDER BY urgent DESC, due_at, id LIMIT :limit
)
RETURNING id, org_id, user_id, name, address, urgent, attempts, expires_at, created_at

-- name: claim (postgresql)
UPDATE mails SET due_at = :until, attempts = attempts + 1
WHERE id IN (
    SELECT id FROM mails WHERE state = 'waiting' AND due_at <= :now ORDER BY urgent DESC, due_at, id LIMIT :limit
    FOR UPDATE SKIP LOCKED
)
RETURNING id, org_id, user_id, name, address, urgent, attempts, expires_at, created_at

-- name: end_mail [quick]
UPDATE mails SET state = :state, due_at = NULL, error = CAST(:error AS TEXT), ended_at = :now
WHERE id = :id AND state = 'waiting'

-- name: put_off [quick]
UPDATE mails SET due_at = :due_at, error = :error WHERE id = :id AND state = 'waiting'

-- name: next_due [quick]
SELECT MIN(due_at) FROM mails WHERE state = 'waiting'

-- name: count_waiting
SELECT COUNT(*) FROM mails WHERE state = 'waiting'

-- name: page
SELECT
    mails.id, mails.org_id, companies.name AS org_name, mails.user_id, people.username, mails.name, mails.address,
    mails.state, mails.attempts, mails.error, mails.due_at, mails.created_at, mails.ended_at
FROM mails
LEFT JOIN published_companies AS companies ON companies.id = mails.org_id
LEFT JOIN published_people AS people ON people.id = mails.user_id
WHERE mails.id < :before AND (CAST(:state AS TEXT) IS NULL OR mails.state = CAST(:state AS TEXT))
ORDER BY mails.id DESC
LIMIT :limit

-- name: count_old
SELECT COUNT(*) FROM mails WHERE state <> 'waiting' AND id < :before

-- name: delete_old
DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE state <> 'waiting' AND id < :before ORDER BY id LIMIT :limit
)
RETURNING id

-- name: ask_reset [quick]
INSERT INTO mail_reset_requests (id, sealed, created_at) VALUES (:id, :sealed, :now)

-- name: take_resets (sqlite)
DELETE FROM mail_reset_requests
WHERE id IN (SELECT id FROM mail_reset_requests ORDER BY id LIMIT :limit)
RETURNING id, sealed, created_at

-- name: take_resets (postgresql)
DELETE FROM mail_reset_requests
WHERE id IN (SELECT id FROM mail_reset_requests ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED)
RETURNING id, sealed, created_at

-- name: is_member [quick]
SELECT 1 FROM published_memberships WHERE user_id = :user_id LIMIT 1

-- name: addresses
-- Who of these can be written to, in which language; nobody who is suspended.
SELECT people.id AS user_id, people.locale, emails.address
FROM published_people AS people
JOIN published_emails AS emails ON emails.user_id = people.id AND emails.proven = 1
WHERE people.suspended_at IS NULL AND people.id IN (
    SELECT value FROM json_each(:people) -- (sqlite)
    SELECT jsonb_array_elements_text(CAST(:people AS JSONB)) -- (postgresql)
)

-- name: add_line [quick]
INSERT INTO mail_digest_lines (notification_id, org_id, user_id, line, due_at)
VALUES (:notification_id, :org_id, :user_id, :line, :due_at)
ON CONFLICT DO NOTHING

-- name: digests_due
SELECT user_id, MIN(org_id) AS org_id FROM mail_digest_lines WHERE due_at <= :now
GROUP BY user_id ORDER BY user_id LIMIT :limit

-- name: take_lines
DELETE FROM mail_digest_lines WHERE user_id = :user_id AND due_at <= :now
RETURNING notification_id, line

-- name: unread_of
SELECT id FROM published_notifications WHERE user_id = :user_id AND read_at IS NULL

-- name: domain_of [quick]
SELECT domain FROM published_companies WHERE id = :org_id
