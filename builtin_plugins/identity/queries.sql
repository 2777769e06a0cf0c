-- name: nth_failures
-- The time of the failure that fills each limit: no row in a place where the limit is not reached.
SELECT
    (
        SELECT at FROM login_failures
        WHERE account = :account AND address = :address AND forgiven = 0 AND at > :floor
        ORDER BY at DESC LIMIT 1 OFFSET :of_pair
    ) AS of_pair,
    (
        SELECT at FROM login_failures WHERE address = :address AND at > :floor
        ORDER BY at DESC LIMIT 1 OFFSET :of_address
    ) AS of_address,
    (
        SELECT at FROM login_failures WHERE account = :account AND at > :floor
        ORDER BY at DESC LIMIT 1 OFFSET :of_account
    ) AS of_account

-- name: insert_failure
INSERT INTO login_failures (id, account, address, at, forgiven) VALUES (:id, :account, :address, :now, 0)

-- name: forgive_failures
UPDATE login_failures SET forgiven = 1 WHERE account = :account AND address = :address AND forgiven = 0

-- name: sweep_failures (sqlite)
DELETE FROM login_failures
WHERE id IN (SELECT id FROM login_failures WHERE at <= :floor ORDER BY at LIMIT :max_rows)

-- name: sweep_failures (postgresql)
-- By their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM login_failures WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM login_failures WHERE at <= :floor ORDER BY at LIMIT :max_rows FOR UPDATE SKIP LOCKED
))

-- name: insert_two_factor
INSERT INTO two_factor (user_id, org_id, last_step, enabled_at, confirm_by, by_passkeys)
VALUES (:user_id, :org_id, 0, :now, CAST(:confirm_by AS BIGINT), :by_passkeys)
ON CONFLICT (user_id) DO NOTHING
RETURNING user_id

-- name: delete_two_factor
DELETE FROM two_factor WHERE user_id = :user_id AND org_id = :org_id RETURNING user_id, confirm_by

-- name: awaiting_confirmation
SELECT user_id FROM two_factor WHERE user_id = :user_id AND org_id = :org_id AND confirm_by > :now

-- name: confirm_two_factor
UPDATE two_factor SET confirm_by = NULL, enabled_at = :now WHERE user_id = :user_id AND org_id = :org_id

-- name: use_step
UPDATE two_factor SET last_step = :step
WHERE user_id = :user_id AND org_id = :org_id AND last_step < :step
RETURNING user_id

-- name: insert_recovery_code
INSERT INTO recovery_codes (user_id, org_id, code_hash) VALUES (:user_id, :org_id, :code_hash)

-- name: delete_recovery_codes
DELETE FROM recovery_codes WHERE user_id = :user_id AND org_id = :org_id

-- name: spend_recovery_code
DELETE FROM recovery_codes
WHERE user_id = :user_id AND org_id = :org_id AND code_hash = :code_hash
RETURNING user_id

-- name: count_recovery_codes
SELECT COUNT(*) AS unspent FROM recovery_codes WHERE user_id = :user_id AND org_id = :org_id

-- name: email [quick]
SELECT address, proven, pending, pending_until FROM person_emails WHERE user_id = :user_id

-- name: give_email [quick]
INSERT INTO person_emails (user_id, org_id, address, address_key, proven)
VALUES (:user_id, :org_id, CAST(:address AS TEXT), CAST(:key AS TEXT), :proven)
ON CONFLICT (user_id) DO UPDATE SET
    address = excluded.address, address_key = excluded.address_key, proven = excluded.proven, pending = NULL,
    token_hash = NULL, pending_until = NULL

-- name: ask_email [quick]
INSERT INTO person_emails (user_id, org_id, proven, pending, token_hash, pending_until)
VALUES (:user_id, :org_id, 0, :pending, :token_hash, :until)
ON CONFLICT (user_id) DO UPDATE SET
    pending = excluded.pending, token_hash = excluded.token_hash, pending_until = excluded.pending_until

-- name: confirm_email [quick]
UPDATE person_emails
SET address = pending, address_key = LOWER(pending), proven = 1, pending = NULL, token_hash = NULL, pending_until = NULL
WHERE user_id = :user_id AND token_hash = :token_hash AND pending_until > :now
RETURNING address

-- name: people_at [quick]
SELECT user_id FROM person_emails
WHERE address_key = :key AND proven = 1 AND (CAST(:org_id AS TEXT) IS NULL OR org_id = CAST(:org_id AS TEXT))
ORDER BY user_id LIMIT :limit

-- name: many_places [quick]
SELECT COUNT(*) FROM login_places WHERE user_id = :user_id

-- name: note_place [quick]
INSERT INTO login_places (user_id, place, seen_at) VALUES (:user_id, :place, :now)
ON CONFLICT (user_id, place) DO NOTHING
RETURNING place

-- name: drop_old_places [quick]
DELETE FROM login_places
WHERE user_id = :user_id AND place NOT IN (
    SELECT place FROM login_places WHERE user_id = :user_id ORDER BY seen_at DESC, place LIMIT :most
)
