-- name: ready_pools [quick]
SELECT given.key AS pool FROM json_each(:pools) AS given
WHERE EXISTS (SELECT 1 FROM jobs WHERE state = 'queued' AND jobs.pool = given.key LIMIT 1 OFFSET 0)

-- name: heads (sqlite)
-- In two further forms a condition stands in the place of TRUE: see `statements.py`.
SELECT job.id, job.team_id, job.priority, job.run_at
FROM json_each(:teams) AS given
CROSS JOIN jobs AS job ON job.id IN (
    SELECT id FROM jobs
    WHERE state = 'queued' AND pool = :pool AND team_id = given.value AND TRUE
    ORDER BY priority DESC, run_at, id
    LIMIT :max_rows
)
ORDER BY job.priority DESC, job.run_at, job.id

-- name: heads (postgresql)
SELECT head.id, given.id AS team_id, head.priority, head.run_at
FROM jsonb_array_elements_text(CAST(:teams AS JSONB)) AS given (id)
CROSS JOIN LATERAL (
    SELECT id, priority, run_at FROM jobs
    WHERE state = 'queued' AND pool = :pool AND team_id = given.id AND TRUE
    ORDER BY priority DESC, run_at, id
    LIMIT :max_rows
) AS head
ORDER BY head.priority DESC, head.run_at, head.id

-- name: take (sqlite)
-- Lanes before jobs, as whoever enqueues: with a key they may wait for a job that is changed here.
-- The lanes are all there; as an upsert each is found by its key, where an UPDATE … FROM would go through the pool.
INSERT INTO job_lanes (pool, team_id, org_id, vtime, active, requirement)
SELECT lane.pool, lane.team_id, lane.org_id, given.value ->> 1, lane.active, lane.requirement
FROM json_each(:lanes) AS given
CROSS JOIN job_lanes AS lane ON lane.pool = :pool AND lane.team_id = (given.value ->> 0)
WHERE TRUE
ON CONFLICT (pool, team_id, requirement) DO UPDATE SET vtime = excluded.vtime
;
UPDATE jobs SET
    state = 'running', attempt = attempt + 1, claim_token = (attempt + 1) || '.' || (given.value ->> 1),
    landed = NULL, lease_until = :now + :lease_ms, held_by = given.value ->> 2,
    worker = CASE WHEN bound_to IS NULL AND (pool <> 'local' OR worker IS NULL) THEN given.value ->> 3 ELSE worker END,
    waiting = 0, in_process = :in_process, process_id = :process_id, reservation = NULL, started_at = :wall, progress = NULL
FROM json_each(:jobs) AS given
WHERE jobs.id = (given.value ->> 0) AND jobs.state = 'queued'
RETURNING
    jobs.id, jobs.kind, jobs.payload, jobs.attempt, jobs.org_id, jobs.team_id, jobs.user_id, jobs.bound_to,
    jobs.held_by, jobs.claim_token, jobs.lease_until, jobs.asked_with, jobs.trace,
    jobs.scope, jobs.depth

-- name: take (postgresql)
-- No job is changed before the lanes are counted, which is when all of them are advanced.
-- A pool that is known beforehand would have all of its lanes read for each of these.
-- Each by its key: a state that is known beforehand, or a join that can be hashed, would have every job read that
-- waits, since what the planner knows of their number is older than they are. So it is with jobs that run, too.
WITH advanced AS (
    UPDATE job_lanes SET vtime = CAST(given.pair ->> 1 AS DOUBLE PRECISION)
    FROM (
        SELECT CAST(:pool AS TEXT) AS pool, pair FROM jsonb_array_elements(CAST(:lanes AS JSONB)) AS every (pair) OFFSET 0
    ) AS given
    WHERE job_lanes.pool = ANY (ARRAY[given.pool]) AND team_id = ANY (ARRAY[given.pair ->> 0])
    RETURNING job_lanes.team_id
)
UPDATE jobs SET
    state = 'running', attempt = attempt + 1, claim_token = (attempt + 1) || '.' || (given.pair ->> 1),
    landed = NULL, lease_until = :now + CAST(:lease_ms AS BIGINT), held_by = given.pair ->> 2,
    worker = CASE WHEN bound_to IS NULL AND (pool <> 'local' OR worker IS NULL) THEN given.pair ->> 3 ELSE worker END,
    waiting = 0, in_process = :in_process, process_id = :process_id, reservation = NULL, started_at = :wall, progress = NULL
FROM (
    SELECT pair, 'queued' AS state
    FROM (SELECT COUNT(*) FROM advanced) AS lanes
    CROSS JOIN jsonb_array_elements(CAST(:jobs AS JSONB)) AS every (pair)
    OFFSET 0
) AS given
WHERE jobs.id = ANY (ARRAY[given.pair ->> 0]) AND jobs.state = ANY (ARRAY[given.state])
RETURNING
    jobs.id, jobs.kind, jobs.payload, jobs.attempt, jobs.org_id, jobs.team_id, jobs.user_id, jobs.bound_to,
    jobs.held_by, jobs.claim_token, jobs.lease_until, jobs.asked_with, jobs.trace,
    jobs.scope, jobs.depth

-- name: note_reservation
UPDATE jobs SET reservation = :reservation WHERE id = :id

-- name: postpone
-- Claimed, and then nothing could be reserved for it: as if it had not been, and not before `run_at`.
UPDATE jobs SET
    state = 'scheduled', attempt = attempt - 1, claim_token = NULL, lease_until = NULL, held_by = NULL,
    started_at = NULL, run_at = :wall + CAST(:wait_ms AS BIGINT)
WHERE id = :id

-- name: give_back (sqlite)
-- Claimed for somebody who was gone: as if it had not been. One that was called off meanwhile ends here.
UPDATE jobs SET
    state = CASE WHEN cancel_requested = 1 THEN 'cancelled' ELSE 'queued' END,
    finished_at = CASE WHEN cancel_requested = 1 THEN :wall END, attempt = attempt - 1, claim_token = NULL, lease_until = NULL, held_by = NULL,
    started_at = NULL
FROM json_each(:jobs) AS given
WHERE jobs.id = (given.value ->> 0) AND claim_token = (given.value ->> 1) AND state = 'running'
RETURNING
    jobs.id, jobs.kind, jobs.state, jobs.pool, jobs.team_id, jobs.org_id, jobs.reservation, jobs.requirement

-- name: give_back (postgresql)
UPDATE jobs SET
    state = CASE WHEN cancel_requested = 1 THEN 'cancelled' ELSE 'queued' END,
    finished_at = CASE WHEN cancel_requested = 1 THEN :wall END, attempt = attempt - 1, claim_token = NULL, lease_until = NULL, held_by = NULL,
    started_at = NULL
FROM (
    SELECT pair, 'running' AS state FROM jsonb_array_elements(CAST(:jobs AS JSONB)) AS every (pair) OFFSET 0
) AS given
WHERE jobs.id = ANY (ARRAY[given.pair ->> 0]) AND claim_token = ANY (ARRAY[given.pair ->> 1])
    AND jobs.state = ANY (ARRAY[given.state])
RETURNING
    jobs.id, jobs.kind, jobs.state, jobs.pool, jobs.team_id, jobs.org_id, jobs.reservation, jobs.requirement
