-- name: kept [quick]
SELECT fingerprint, flags FROM executor_quirks WHERE executor_id = :id

-- name: store
INSERT INTO executor_quirks (executor_id, fingerprint, flags, found_at)
SELECT CAST(:id AS TEXT), CAST(:fingerprint AS TEXT), CAST(:flags AS TEXT), CAST(:now AS BIGINT)
WHERE NOT EXISTS (SELECT 1 FROM executors WHERE id = :id AND retired_at IS NOT NULL)
ON CONFLICT (executor_id) DO UPDATE
SET fingerprint = excluded.fingerprint, flags = excluded.flags, found_at = excluded.found_at

-- name: forget
DELETE FROM executor_quirks WHERE executor_id = :id
