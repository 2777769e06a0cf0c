-- name: sweep (sqlite)
DELETE FROM idempotency_keys WHERE rowid IN (
    SELECT rowid FROM idempotency_keys WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit
)

-- name: sweep (postgresql)
DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM idempotency_keys WHERE expires_at <= :now
    ORDER BY expires_at LIMIT :limit FOR UPDATE SKIP LOCKED
))

-- name: claim (sqlite)
-- One process owns the file, and what a dead one left went at the boot. What lapses is a call whose key could
-- not be released, as on a full disk.
INSERT INTO idempotency_keys (caller, key, fingerprint, owner, state, lease_until, expires_at)
VALUES (:caller, :key, :fingerprint, :owner, 'running', :now + :lease_ms, :expires_at)
ON CONFLICT (caller, key) DO UPDATE
SET fingerprint = excluded.fingerprint, owner = excluded.owner, state = 'running', status = NULL,
    answer = NULL, resource_id = NULL, lease_until = excluded.lease_until, expires_at = excluded.expires_at
WHERE idempotency_keys.expires_at <= :now
    OR (idempotency_keys.state = 'running' AND idempotency_keys.lease_until <= :now)
RETURNING owner

-- name: claim (postgresql)
-- Leases go by the database's own clock, which all processes share.
INSERT INTO idempotency_keys (caller, key, fingerprint, owner, state, lease_until, expires_at)
VALUES (
    :caller, :key, :fingerprint, :owner, 'running',
    CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + CAST(:lease_ms AS BIGINT), :expires_at
)
ON CONFLICT (caller, key) DO UPDATE
SET fingerprint = excluded.fingerprint, owner = excluded.owner, state = 'running', status = NULL,
    answer = NULL, resource_id = NULL, lease_until = excluded.lease_until, expires_at = excluded.expires_at
WHERE idempotency_keys.expires_at <= :now OR (
    idempotency_keys.state = 'running'
    AND idempotency_keys.lease_until <= CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)
)
RETURNING owner

-- name: renew (sqlite)
UPDATE idempotency_keys SET lease_until = :now + :lease_ms
WHERE caller = :caller AND key = :key AND owner = :owner AND state <> 'done'

-- name: renew (postgresql)
UPDATE idempotency_keys
SET lease_until = CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + CAST(:lease_ms AS BIGINT)
WHERE caller = :caller AND key = :key AND owner = :owner AND state <> 'done'

-- name: find_claim (sqlite)
SELECT fingerprint, state, status, answer, resource_id, lease_until <= :now AS lapsed FROM idempotency_keys
WHERE caller = :caller AND key = :key

-- name: find_claim (postgresql)
SELECT fingerprint, state, status, answer, resource_id,
    lease_until <= CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS lapsed
FROM idempotency_keys
WHERE caller = :caller AND key = :key

-- name: mark_applied
UPDATE idempotency_keys SET state = 'applied'
WHERE caller = :caller AND key = :key AND owner = :owner
RETURNING owner

-- name: store_reply
UPDATE idempotency_keys
SET state = 'done', status = :status, answer = :answer, resource_id = :resource_id
WHERE caller = :caller AND key = :key AND owner = :owner
RETURNING owner

-- name: release
-- Not where the answer was kept with its effect, and only the wait for the disk failed or was given up.
DELETE FROM idempotency_keys
WHERE caller = :caller AND key = :key AND owner = :owner AND state <> 'done'

-- name: release_running
DELETE FROM idempotency_keys WHERE state = 'running'

-- name: settle_applied
UPDATE idempotency_keys SET state = 'done', status = 409 WHERE state = 'applied'
