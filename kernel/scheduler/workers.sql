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
RETURNING id, kind, state, team_id
