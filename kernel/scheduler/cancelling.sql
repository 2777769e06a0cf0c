-- name: call_off_family
-- The job with those that were asked for within it, and within these. What runs finishes, or is to be stopped where it
-- is of these kinds.
WITH RECURSIVE family (id) AS (
    SELECT id FROM jobs WHERE id = :id AND team_id = :team_id
    UNION
    SELECT child.id FROM family JOIN jobs AS child ON child.within = family.id
)
UPDATE jobs SET
    state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END,
    finished_at = CASE WHEN state = 'running' THEN NULL ELSE :wall END,
    cancel_requested = 1,
    stop_requested = CASE
        WHEN state = 'running' AND kind IN (SELECT value FROM json_each(:kinds)) THEN 1 -- (sqlite)
        WHEN state = 'running' AND kind IN (SELECT jsonb_array_elements_text(CAST(:kinds AS JSONB))) THEN 1 -- (postgresql)
        ELSE stop_requested
    END
WHERE id IN (SELECT id FROM family) AND state IN ('scheduled', 'queued', 'running')
RETURNING id, kind, state, team_id, stop_requested

-- name: to_be_stopped (sqlite)
SELECT id FROM jobs WHERE id IN (SELECT value FROM json_each(:ids)) AND state = 'running' AND stop_requested = 1

-- name: to_be_stopped (postgresql)
SELECT jobs.id
FROM jsonb_array_elements_text(CAST(:ids AS JSONB)) AS given (id)
CROSS JOIN LATERAL (
    SELECT id FROM jobs WHERE jobs.id = given.id AND state = 'running' AND stop_requested = 1 OFFSET 0
) AS jobs

-- name: cancel_waiting (sqlite)
UPDATE jobs SET state = 'cancelled', finished_at = :wall, cancel_requested = 1
WHERE id IN (SELECT value FROM json_each(:ids)) AND team_id = :team_id AND state IN ('scheduled', 'queued')
RETURNING id, kind, state, team_id

-- name: cancel_waiting (postgresql)
-- One that is just being claimed is passed over: nobody waits here for a claim, nor for the end of a job.
UPDATE jobs SET state = 'cancelled', finished_at = :wall, cancel_requested = 1
WHERE id = ANY (ARRAY (
    SELECT jobs.id
    FROM (
        SELECT every.id, CAST(:team_id AS TEXT) AS team_id, ARRAY['scheduled', 'queued'] AS states
        FROM jsonb_array_elements_text(CAST(:ids AS JSONB)) AS every (id) OFFSET 0
    ) AS given
    JOIN jobs ON jobs.id = ANY (ARRAY[given.id]) AND jobs.team_id = ANY (ARRAY[given.team_id])
    WHERE jobs.state = ANY (given.states)
    FOR UPDATE OF jobs SKIP LOCKED
))
RETURNING id, kind, state, team_id

-- name: cancel_of_person
-- What is just being claimed is passed over: nobody waits here for it.
UPDATE jobs SET
    state = 'cancelled', finished_at = :wall, error_code = :code, error_message = :message, cancel_requested = 1
WHERE id IN ( -- (sqlite)
WHERE id = ANY (ARRAY ( -- (postgresql)
    SELECT id FROM jobs
    WHERE team_id = :team_id AND user_id = :user_id AND state IN ('scheduled', 'queued')
        AND kind IN (SELECT value FROM json_each(:kinds)) -- (sqlite)
        AND kind IN (SELECT jsonb_array_elements_text(CAST(:kinds AS JSONB))) -- (postgresql)
    FOR UPDATE SKIP LOCKED -- (postgresql)
) -- (sqlite)
)) -- (postgresql)
RETURNING id, kind, state, team_id

-- name: call_off_running_of_person
-- What just ends is passed over. What is of the kinds `stopping` is to be stopped; the rest may finish.
UPDATE jobs SET
    cancel_requested = 1,
    stop_requested = CASE
        WHEN kind IN (SELECT value FROM json_each(:stopping)) THEN 1 -- (sqlite)
        WHEN kind IN (SELECT jsonb_array_elements_text(CAST(:stopping AS JSONB))) THEN 1 -- (postgresql)
        ELSE stop_requested
    END
WHERE id IN ( -- (sqlite)
WHERE id = ANY (ARRAY ( -- (postgresql)
    SELECT id FROM jobs INDEXED BY jobs_running -- (sqlite)
    SELECT id FROM jobs -- (postgresql)
    WHERE state = 'running' AND org_id = (SELECT org_id FROM teams WHERE id = :team_id) AND team_id = :team_id
        AND user_id = :user_id
        AND kind IN (SELECT value FROM json_each(:kinds)) -- (sqlite)
        AND kind IN (SELECT jsonb_array_elements_text(CAST(:kinds AS JSONB))) -- (postgresql)
    FOR UPDATE SKIP LOCKED -- (postgresql)
) -- (sqlite)
)) -- (postgresql)
RETURNING id, stop_requested
