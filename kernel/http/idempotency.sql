-- name: sweep
DELETE FROM idempotency_keys WHERE expires_at <= :now

-- name: claim
INSERT INTO idempotency_keys (caller, key, fingerprint, owner, state, lease_until, expires_at)
VALUES (:caller, :key, :fingerprint, :owner, 'running', :lease_until, :expires_at)
ON CONFLICT (caller, key) DO UPDATE
SET fingerprint = excluded.fingerprint, owner = excluded.owner,
    lease_until = excluded.lease_until, expires_at = excluded.expires_at
WHERE idempotency_keys.state = 'running' AND idempotency_keys.lease_until <= :now
RETURNING owner

-- name: look
SELECT fingerprint, state, status, answer, resource_id FROM idempotency_keys
WHERE caller = :caller AND key = :key

-- name: mark_applied
UPDATE idempotency_keys SET state = 'applied'
WHERE caller = :caller AND key = :key AND owner = :owner

-- name: keep
UPDATE idempotency_keys
SET state = 'done', status = :status, answer = :answer, resource_id = :resource_id
WHERE caller = :caller AND key = :key AND owner = :owner

-- name: release
DELETE FROM idempotency_keys WHERE caller = :caller AND key = :key AND owner = :owner

-- name: release_running
DELETE FROM idempotency_keys WHERE state = 'running'

-- name: settle_applied
UPDATE idempotency_keys SET state = 'done', status = 409 WHERE state = 'applied'
