-- name: add_worker
INSERT INTO job_workers (id, org_id, name, token_id)
VALUES (:id, CAST(:org_id AS TEXT), :name, :token_id)

-- name: retire_worker
UPDATE job_workers SET retired_at = CAST(:at AS BIGINT) WHERE id = :id AND retired_at IS NULL RETURNING token_id

-- name: forget_retired
-- Those that another transaction forgets at this moment are its own.
DELETE FROM job_workers WHERE id IN (
    SELECT id FROM job_workers WHERE retired_at < CAST(:before AS BIGINT) ORDER BY retired_at LIMIT 100
    FOR UPDATE SKIP LOCKED -- (postgresql)
)

-- name: note_call
UPDATE job_workers SET called_at = CAST(:at AS BIGINT) WHERE id = :id AND retired_at IS NULL

-- name: last_calls
SELECT id, called_at FROM job_workers
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))) -- (postgresql)
    AND called_at IS NOT NULL AND retired_at IS NULL

-- name: retired (sqlite)
SELECT id FROM job_workers
WHERE id IN (SELECT value FROM json_each(:ids)) AND retired_at IS NOT NULL

-- name: retired (postgresql)
SELECT asked.id FROM (
    SELECT id, retired_at FROM job_workers
    WHERE id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))
    ORDER BY id
    FOR SHARE
) AS asked
WHERE asked.retired_at IS NOT NULL

-- name: held_by_worker (sqlite)
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND held_by = :held_by

-- name: held_by_worker (postgresql)
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND held_by = :held_by FOR UPDATE

-- name: fail_bound_to
-- Nobody can run what was bound to a worker that is gone.
UPDATE jobs SET state = 'failed', finished_at = :wall, error_code = :code, error_message = :message
WHERE bound_to = :bound_to AND state IN ('scheduled', 'queued')
RETURNING id, kind, state
