-- name: nth_failure
-- The time of the failure that fills the limit: no row where it is not reached.
SELECT at FROM provision_failures WHERE address = :address AND at > :floor
ORDER BY at DESC LIMIT 1 OFFSET :nth

-- name: any_failure
SELECT 1 FROM provision_failures WHERE address = :address LIMIT 1

-- name: insert_failure
INSERT INTO provision_failures (id, address, at) VALUES (:id, :address, :now)

-- name: clear_failures
DELETE FROM provision_failures WHERE address = :address

-- name: sweep_failures (sqlite)
DELETE FROM provision_failures
WHERE id IN (SELECT id FROM provision_failures WHERE at <= :floor ORDER BY at LIMIT :max_rows)

-- name: sweep_failures (postgresql)
-- By their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM provision_failures WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM provision_failures WHERE at <= :floor ORDER BY at LIMIT :max_rows FOR UPDATE SKIP LOCKED
))
