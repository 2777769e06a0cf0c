-- name: columns [part]
id, user_id, org_id, credential_id, public_key, sign_count, transports, verifies, synced, name, created_at, last_used_at

-- name: insert
INSERT INTO passkeys (
    id, user_id, org_id, credential_hash, credential_id, public_key, sign_count, transports, verifies, synced, name,
    created_at
)
VALUES (
    :id, :user_id, :org_id, :credential_hash, :credential_id, :public_key, :sign_count, :transports, :verifies,
    :synced, :name, :now
)
ON CONFLICT (credential_hash) DO NOTHING
RETURNING id

-- name: by_credential [quick]
-- Of whichever company: who signs in says nothing else.
SELECT
    -- use: columns
FROM passkeys WHERE credential_hash = :credential_hash

-- name: of_person [quick]
SELECT
    -- use: columns
FROM passkeys
WHERE user_id = :user_id AND org_id = :org_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: answering [quick]
SELECT credential_id, transports FROM passkeys WHERE user_id = :user_id ORDER BY id DESC LIMIT :limit

-- name: rename
UPDATE passkeys SET name = :name WHERE id = :id AND user_id = :user_id AND org_id = :org_id
RETURNING
    -- use: columns

-- name: is_only_factor [quick]
-- Whether this person's second factor rests on passkeys, of which there is no other than this.
SELECT COUNT(*) FROM published_passkey_factors AS factors
WHERE factors.user_id = :user_id AND factors.org_id = :org_id
    AND NOT EXISTS (SELECT 1 FROM passkeys WHERE user_id = :user_id AND org_id = :org_id AND id <> :id)

-- name: remove
DELETE FROM passkeys WHERE id = :id AND user_id = :user_id AND org_id = :org_id RETURNING name

-- name: remove_all
DELETE FROM passkeys WHERE user_id = :user_id AND org_id = :org_id

-- name: use
-- A count that does not grow is of a copy; authenticators without a count always say 0.
UPDATE passkeys SET sign_count = :sign_count, last_used_at = :now
WHERE id = :id AND user_id = :user_id AND (sign_count < :sign_count OR (sign_count = 0 AND :sign_count = 0))
RETURNING id

-- name: spend
INSERT INTO passkey_answers (challenge, until) VALUES (:challenge, :until)
ON CONFLICT (challenge) DO NOTHING
RETURNING challenge

-- name: sweep_answers (sqlite)
DELETE FROM passkey_answers
WHERE challenge IN (SELECT challenge FROM passkey_answers WHERE until <= :now ORDER BY until LIMIT :limit)

-- name: sweep_answers (postgresql)
-- By their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM passkey_answers WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM passkey_answers WHERE until <= :now ORDER BY until LIMIT :limit FOR UPDATE SKIP LOCKED
))
