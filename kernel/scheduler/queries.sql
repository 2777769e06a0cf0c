-- In this file :now is the time that leases are measured by, and :wall the time of day, which may be set on or
-- back: both the database's own where processes share it.

-- name: insert_jobs (sqlite)
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, executor_id, executor, model, state, priority, run_at,
    max_attempts, unique_key, payload, created_at
)
SELECT
    value ->> 'id', value ->> 'org_id', value ->> 'team_id', value ->> 'user_id', value ->> 'kind',
    value ->> 'pool', value ->> 'executor_id', value ->> 'executor', value ->> 'model', value ->> 'state',
    value ->> 'priority', value ->> 'run_at', value ->> 'max_attempts', value ->> 'unique_key',
    value ->> 'payload', value ->> 'created_at'
FROM json_each(:jobs)
WHERE TRUE
ON CONFLICT DO NOTHING
RETURNING *

-- name: insert_jobs (postgresql)
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, executor_id, executor, model, state, priority, run_at,
    max_attempts, unique_key, payload, created_at
)
SELECT
    id, org_id, team_id, user_id, kind, pool, executor_id, executor, model, state, priority, run_at,
    max_attempts, unique_key, payload, created_at
FROM jsonb_to_recordset(CAST(:jobs AS JSONB)) AS given (
    id TEXT, org_id TEXT, team_id TEXT, user_id TEXT, kind TEXT, pool TEXT, executor_id TEXT, executor TEXT,
    model TEXT, state TEXT, priority INTEGER, run_at BIGINT, max_attempts INTEGER, unique_key TEXT,
    payload TEXT, created_at BIGINT
)
ON CONFLICT DO NOTHING
RETURNING *

-- name: live_twin
SELECT * FROM jobs
WHERE team_id = :team_id AND kind = :kind AND unique_key = :unique_key
    AND state IN ('scheduled', 'queued', 'running')

-- name: lane (sqlite)
SELECT active FROM job_lanes WHERE pool = :pool AND team_id = :team_id

-- name: lane (postgresql)
-- The lock keeps the lane from being closed before this transaction's jobs can be seen.
SELECT active FROM job_lanes WHERE pool = :pool AND team_id = :team_id FOR KEY SHARE

-- name: open_lane
INSERT INTO job_lanes (pool, team_id, org_id, vtime, active) VALUES (:pool, :team_id, :org_id, 0, 1)
ON CONFLICT (pool, team_id) DO UPDATE SET active = 1

-- name: job
SELECT * FROM jobs WHERE id = :id AND team_id = :team_id

-- name: page_of_jobs
SELECT * FROM jobs
WHERE team_id = :team_id AND id < :before
    AND (CAST(:state AS TEXT) IS NULL OR CASE WHEN state = 'scheduled' THEN 'queued' ELSE state END = :state)
    AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind)
ORDER BY id DESC
LIMIT :limit

-- name: cancel_job
UPDATE jobs SET
    state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END,
    finished_at = CASE WHEN state = 'running' THEN NULL ELSE :wall END,
    cancel_requested = 1
WHERE id = :id AND team_id = :team_id AND state IN ('scheduled', 'queued', 'running')
RETURNING *

-- name: ready_pools (sqlite) [quick]
SELECT given.value AS pool FROM json_each(:pools) AS given
WHERE EXISTS (SELECT 1 FROM jobs WHERE state = 'queued' AND jobs.pool = given.value)

-- name: ready_pools (postgresql)
SELECT given.pool FROM jsonb_array_elements_text(CAST(:pools AS JSONB)) AS given (pool)
WHERE EXISTS (SELECT 1 FROM jobs WHERE state = 'queued' AND jobs.pool = given.pool)

-- name: retired (sqlite)
SELECT id FROM executors
WHERE id IN (SELECT value FROM json_each(:ids)) AND retired_at IS NOT NULL

-- name: retired (postgresql)
SELECT asked.id FROM (
    SELECT id, retired_at FROM executors
    WHERE id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))
    ORDER BY id
    FOR SHARE
) AS asked
WHERE asked.retired_at IS NOT NULL

-- name: lock_lanes (sqlite)
SELECT
    lane.team_id, lane.org_id, lane.vtime, org.plan,
    (SELECT MAX(vtime) FROM job_lanes WHERE pool = :pool) AS top
FROM job_lanes AS lane JOIN orgs AS org ON org.id = lane.org_id
WHERE lane.pool = :pool AND lane.active = 1 AND org.suspended_at IS NULL
    AND (:org_id IS NULL OR lane.org_id = :org_id)
    AND (:team_id IS NULL OR lane.team_id = :team_id)
    AND EXISTS (
        SELECT 1 FROM jobs
        WHERE state = 'queued' AND pool = :pool AND team_id = lane.team_id
            AND (:models IS NULL OR model IS NULL OR model IN (SELECT value FROM json_each(:models)))
    )
    AND COALESCE(
        (
            SELECT none_limit FROM quota_counters
            WHERE org_id = lane.org_id AND team_id = lane.team_id AND dimension = 'jobs.concurrency'
        ),
        1000000000
    ) > (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id AND team_id = lane.team_id)
    AND COALESCE(
        (
            SELECT none_limit FROM quota_counters
            WHERE org_id = lane.org_id AND team_id = '' AND dimension = 'jobs.concurrency'
        ),
        1000000000
    ) > (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id)
ORDER BY lane.vtime, lane.team_id
LIMIT :most

-- name: lock_lanes (postgresql)
-- Who holds a company's row claims for it alone, and a suspension waits for them. The room that is seen here may
-- be gone by the time the lock is had: it is counted again, by a statement of its own. The OFFSET keeps the
-- planner from joining every waiting job where one look per lane will do.
SELECT
    lane.team_id, lane.org_id, lane.vtime, org.plan,
    (SELECT MAX(vtime) FROM job_lanes WHERE pool = :pool) AS top
FROM job_lanes AS lane JOIN orgs AS org ON org.id = lane.org_id
WHERE lane.pool = :pool AND lane.active = 1 AND org.suspended_at IS NULL
    AND (CAST(:org_id AS TEXT) IS NULL OR lane.org_id = :org_id)
    AND (CAST(:team_id AS TEXT) IS NULL OR lane.team_id = :team_id)
    AND EXISTS (
        SELECT 1 FROM jobs
        WHERE state = 'queued' AND pool = :pool AND team_id = lane.team_id
            AND (
                CAST(:models AS TEXT) IS NULL OR model IS NULL
                OR model IN (SELECT jsonb_array_elements_text(CAST(:models AS JSONB)))
            )
        OFFSET 0
    )
    AND COALESCE(
        (
            SELECT none_limit FROM quota_counters
            WHERE org_id = lane.org_id AND team_id = lane.team_id AND dimension = 'jobs.concurrency'
        ),
        1000000000
    ) > (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id AND team_id = lane.team_id)
    AND COALESCE(
        (
            SELECT none_limit FROM quota_counters
            WHERE org_id = lane.org_id AND team_id = '' AND dimension = 'jobs.concurrency'
        ),
        1000000000
    ) > (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id)
ORDER BY lane.vtime, lane.team_id
LIMIT :most
FOR NO KEY UPDATE OF org SKIP LOCKED

-- name: rooms (sqlite)
SELECT
    given.value AS team_id,
    (
        SELECT none_limit FROM quota_counters AS q
        WHERE q.org_id = team.org_id AND q.team_id = team.id AND q.dimension = 'jobs.concurrency'
    ) AS team_limit,
    (
        SELECT none_limit FROM quota_counters AS q
        WHERE q.org_id = team.org_id AND q.team_id = '' AND q.dimension = 'jobs.concurrency'
    ) AS org_limit,
    (
        SELECT COUNT(*) FROM jobs
        WHERE state = 'running' AND jobs.org_id = team.org_id AND jobs.team_id = team.id
    ) AS team_running,
    (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND jobs.org_id = team.org_id) AS org_running
FROM json_each(:teams) AS given JOIN teams AS team ON team.id = given.value

-- name: rooms (postgresql)
SELECT
    given.id AS team_id,
    (
        SELECT none_limit FROM quota_counters AS q
        WHERE q.org_id = team.org_id AND q.team_id = team.id AND q.dimension = 'jobs.concurrency'
    ) AS team_limit,
    (
        SELECT none_limit FROM quota_counters AS q
        WHERE q.org_id = team.org_id AND q.team_id = '' AND q.dimension = 'jobs.concurrency'
    ) AS org_limit,
    (
        SELECT COUNT(*) FROM jobs
        WHERE state = 'running' AND jobs.org_id = team.org_id AND jobs.team_id = team.id
    ) AS team_running,
    (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND jobs.org_id = team.org_id) AS org_running
FROM jsonb_array_elements_text(CAST(:teams AS JSONB)) AS given (id) JOIN teams AS team ON team.id = given.id

-- name: heads (sqlite)
SELECT job.id, job.team_id
FROM json_each(:teams) AS given
CROSS JOIN jobs AS job ON job.id IN (
    SELECT id FROM jobs
    WHERE state = 'queued' AND pool = :pool AND team_id = given.value
        AND (:models IS NULL OR model IS NULL OR model IN (SELECT value FROM json_each(:models)))
    ORDER BY priority DESC, run_at, id
    LIMIT :most
)
ORDER BY job.priority DESC, job.run_at, job.id

-- name: heads (postgresql)
SELECT head.id, given.id AS team_id
FROM jsonb_array_elements_text(CAST(:teams AS JSONB)) AS given (id)
CROSS JOIN LATERAL (
    SELECT id, priority, run_at FROM jobs
    WHERE state = 'queued' AND pool = :pool AND team_id = given.id
        AND (
            CAST(:models AS TEXT) IS NULL OR model IS NULL
            OR model IN (SELECT jsonb_array_elements_text(CAST(:models AS JSONB)))
        )
    ORDER BY priority DESC, run_at, id
    LIMIT :most
) AS head
ORDER BY head.priority DESC, head.run_at, head.id

-- name: take (sqlite)
UPDATE jobs SET
    state = 'running', attempt = attempt + 1, claim_token = (attempt + 1) || '.' || (given.value ->> 1),
    landed = NULL, lease_until = :now + :lease_ms, held_by = given.value ->> 2,
    executor = CASE WHEN executor_id IS NULL THEN given.value ->> 3 ELSE executor END,
    in_process = :in_process, reservation = NULL, started_at = :wall, progress = NULL
FROM json_each(:jobs) AS given
WHERE jobs.id = (given.value ->> 0) AND jobs.state = 'queued'
RETURNING *

-- name: take (postgresql)
UPDATE jobs SET
    state = 'running', attempt = attempt + 1, claim_token = (attempt + 1) || '.' || (given.pair ->> 1),
    landed = NULL, lease_until = :now + CAST(:lease_ms AS BIGINT), held_by = given.pair ->> 2,
    executor = CASE WHEN executor_id IS NULL THEN given.pair ->> 3 ELSE executor END,
    in_process = :in_process, reservation = NULL, started_at = :wall, progress = NULL
FROM jsonb_array_elements(CAST(:jobs AS JSONB)) AS given (pair)
WHERE jobs.id = (given.pair ->> 0) AND jobs.state = 'queued'
RETURNING jobs.*

-- name: advance_lanes (sqlite)
-- They are all there; as an upsert each is found by its key, where an UPDATE … FROM would go through the pool.
INSERT INTO job_lanes (pool, team_id, org_id, vtime, active)
SELECT :pool, value ->> 0, '', value ->> 1, 1 FROM json_each(:lanes) WHERE TRUE
ON CONFLICT (pool, team_id) DO UPDATE SET vtime = excluded.vtime

-- name: advance_lanes (postgresql)
UPDATE job_lanes SET vtime = CAST(given.pair ->> 1 AS DOUBLE PRECISION)
FROM jsonb_array_elements(CAST(:lanes AS JSONB)) AS given (pair)
WHERE pool = :pool AND team_id = (given.pair ->> 0)

-- name: note_reservation
UPDATE jobs SET reservation = :reservation WHERE id = :id

-- name: postpone
-- Claimed, and then its company had no quota for it: as if it had not been, and not before `run_at`.
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
RETURNING jobs.id, jobs.kind, jobs.state, jobs.pool, jobs.team_id, jobs.org_id, jobs.reservation

-- name: give_back (postgresql)
UPDATE jobs SET
    state = CASE WHEN cancel_requested = 1 THEN 'cancelled' ELSE 'queued' END,
    finished_at = CASE WHEN cancel_requested = 1 THEN :wall END, attempt = attempt - 1, claim_token = NULL, lease_until = NULL, held_by = NULL,
    started_at = NULL
FROM jsonb_array_elements(CAST(:jobs AS JSONB)) AS given (pair)
WHERE jobs.id = (given.pair ->> 0) AND claim_token = (given.pair ->> 1) AND state = 'running'
RETURNING jobs.id, jobs.kind, jobs.state, jobs.pool, jobs.team_id, jobs.org_id, jobs.reservation

-- name: beat (sqlite)
UPDATE jobs SET
    lease_until = :now + :lease_ms, progress = COALESCE(CAST(given.value ->> 2 AS REAL), progress)
FROM json_each(:jobs) AS given
WHERE jobs.id = (given.value ->> 0) AND claim_token = (given.value ->> 1)
    AND state = 'running' AND lease_until > :now
RETURNING jobs.id, jobs.lease_until

-- name: beat (postgresql)
UPDATE jobs SET
    lease_until = :now + CAST(:lease_ms AS BIGINT),
    progress = COALESCE(CAST(given.pair ->> 2 AS DOUBLE PRECISION), progress)
FROM jsonb_array_elements(CAST(:jobs AS JSONB)) AS given (pair)
WHERE jobs.id = (given.pair ->> 0) AND claim_token = (given.pair ->> 1)
    AND state = 'running' AND lease_until > :now
RETURNING jobs.id, jobs.lease_until

-- name: finish (sqlite)
UPDATE jobs SET
    state = CASE
        WHEN given.value ->> 'verb' = 'complete' THEN 'succeeded'
        WHEN given.value ->> 'retry' = 0 OR attempt >= max_attempts THEN 'failed'
        WHEN cancel_requested = 1 THEN 'cancelled'
        ELSE 'scheduled'
    END,
    finished_at = CASE
        WHEN given.value ->> 'verb' = 'complete' OR given.value ->> 'retry' = 0 OR attempt >= max_attempts
            OR cancel_requested = 1 THEN :wall
    END,
    landed = given.value ->> 'verb', lease_until = NULL, lapses = 0,
    result = given.value ->> 'result', error_code = given.value ->> 'code',
    error_message = given.value ->> 'message',
    progress = CASE WHEN given.value ->> 'verb' = 'complete' THEN 1 ELSE progress END,
    run_at = :wall + (given.value ->> 'wait_ms')
FROM json_each(:ends) AS given
WHERE jobs.id = (given.value ->> 'id') AND claim_token = (given.value ->> 'token')
    AND state = 'running' AND lease_until > :now
RETURNING jobs.id, jobs.kind, jobs.state, jobs.org_id, jobs.team_id, jobs.reservation

-- name: finish (postgresql)
UPDATE jobs SET
    state = CASE
        WHEN given.verb = 'complete' THEN 'succeeded'
        WHEN given.retry = 0 OR attempt >= max_attempts THEN 'failed'
        WHEN cancel_requested = 1 THEN 'cancelled'
        ELSE 'scheduled'
    END,
    finished_at = CASE
        WHEN given.verb = 'complete' OR given.retry = 0 OR attempt >= max_attempts OR cancel_requested = 1
            THEN :wall
    END,
    landed = given.verb, lease_until = NULL, lapses = 0,
    result = given.result, error_code = given.code, error_message = given.message,
    progress = CASE WHEN given.verb = 'complete' THEN 1 ELSE progress END,
    run_at = :wall + given.wait_ms
FROM jsonb_to_recordset(CAST(:ends AS JSONB)) AS given (
    id TEXT, token TEXT, verb TEXT, retry INTEGER, result TEXT, code TEXT, message TEXT, wait_ms BIGINT
)
WHERE jobs.id = given.id AND claim_token = given.token AND state = 'running' AND lease_until > :now
RETURNING jobs.id, jobs.kind, jobs.state, jobs.org_id, jobs.team_id, jobs.reservation

-- name: landed [quick]
SELECT id FROM jobs WHERE id = :id AND claim_token = :token AND landed = :verb

-- name: still_held
SELECT 1 FROM jobs WHERE id = :id AND claim_token = :token AND state = 'running' AND lease_until > :now

-- name: held_job [quick]
SELECT id, kind, org_id, team_id, executor_id FROM jobs WHERE id = :id

-- name: next_due [quick]
SELECT MIN(run_at) FROM jobs WHERE state = 'scheduled'

-- name: next_lapse [quick]
SELECT MIN(lease_until) FROM jobs WHERE state = 'running'

-- name: time_now
SELECT :now AS leases, :wall AS of_day

-- name: promote (sqlite)
UPDATE jobs SET state = 'queued'
WHERE id IN (SELECT id FROM jobs WHERE state = 'scheduled' AND run_at <= :wall ORDER BY run_at LIMIT :most)
RETURNING pool, team_id, org_id

-- name: promote (postgresql)
UPDATE jobs SET state = 'queued'
WHERE id IN (
    SELECT id FROM jobs WHERE state = 'scheduled' AND run_at <= :wall
    ORDER BY run_at LIMIT :most FOR UPDATE SKIP LOCKED
)
RETURNING pool, team_id, org_id

-- name: lapsed (sqlite)
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND lease_until <= :now ORDER BY lease_until LIMIT :most

-- name: lapsed (postgresql)
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND lease_until <= :now
ORDER BY lease_until LIMIT :most FOR UPDATE SKIP LOCKED

-- name: left_by_this_process
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND in_process = 1

-- name: held_by_executor (sqlite)
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND held_by = :held_by

-- name: held_by_executor (postgresql)
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND held_by = :held_by FOR UPDATE

-- name: take_away (sqlite)
UPDATE jobs SET
    state = CASE
        WHEN given.value ->> 'poisoned' = 1 OR attempt >= max_attempts THEN 'failed'
        WHEN cancel_requested = 1 THEN 'cancelled'
        ELSE 'scheduled'
    END,
    finished_at = CASE
        WHEN given.value ->> 'poisoned' = 1 OR attempt >= max_attempts OR cancel_requested = 1 THEN :wall
    END,
    lapses = lapses + 1, claim_token = NULL, landed = NULL, lease_until = NULL, held_by = NULL,
    error_code = given.value ->> 'code', error_message = given.value ->> 'message',
    run_at = :wall + (given.value ->> 'wait_ms')
FROM json_each(:jobs) AS given
WHERE jobs.id = (given.value ->> 'id') AND state = 'running'
RETURNING jobs.id, jobs.kind, jobs.state, jobs.org_id, jobs.team_id, jobs.reservation

-- name: take_away (postgresql)
UPDATE jobs SET
    state = CASE
        WHEN given.poisoned = 1 OR attempt >= max_attempts THEN 'failed'
        WHEN cancel_requested = 1 THEN 'cancelled'
        ELSE 'scheduled'
    END,
    finished_at = CASE
        WHEN given.poisoned = 1 OR attempt >= max_attempts OR cancel_requested = 1 THEN :wall
    END,
    lapses = lapses + 1, claim_token = NULL, landed = NULL, lease_until = NULL, held_by = NULL,
    error_code = given.code, error_message = given.message, run_at = :wall + given.wait_ms
FROM jsonb_to_recordset(CAST(:jobs AS JSONB)) AS given (
    id TEXT, poisoned INTEGER, code TEXT, message TEXT, wait_ms BIGINT
)
WHERE jobs.id = given.id AND state = 'running'
RETURNING jobs.id, jobs.kind, jobs.state, jobs.org_id, jobs.team_id, jobs.reservation

-- name: fail_bound_to
-- Nobody can run what was bound to an executor that is gone.
UPDATE jobs SET state = 'failed', finished_at = :wall, error_code = :code, error_message = :message
WHERE executor_id = :executor_id AND state IN ('scheduled', 'queued')
RETURNING id

-- name: renew_leases
-- After the clock was set on or back: everybody has one lease from now, no less and no more.
UPDATE jobs SET lease_until = :now + CAST(:lease_ms AS BIGINT)
WHERE state = 'running' AND (lease_until <= :now OR lease_until > :now + CAST(:lease_ms AS BIGINT))

-- name: hasten_retries
-- After the time of day was set back: what waits between two attempts waits no longer than it ever would.
UPDATE jobs SET run_at = :wall + CAST(:longest AS BIGINT)
WHERE state = 'scheduled' AND attempt > 0 AND run_at > :wall + CAST(:longest AS BIGINT)

-- name: idle_lane
SELECT 1 FROM job_lanes AS lane
WHERE active = 1 AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE state = 'queued' AND pool = lane.pool AND team_id = lane.team_id
)
LIMIT 1

-- name: idle_lanes (sqlite)
SELECT pool, team_id FROM job_lanes AS lane
WHERE active = 1 AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE state = 'queued' AND pool = lane.pool AND team_id = lane.team_id
)
LIMIT :most

-- name: idle_lanes (postgresql)
SELECT pool, team_id FROM job_lanes AS lane
WHERE active = 1 AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE state = 'queued' AND pool = lane.pool AND team_id = lane.team_id
)
LIMIT :most
FOR UPDATE OF lane SKIP LOCKED

-- name: close_lane
UPDATE job_lanes SET active = 0
WHERE pool = :pool AND team_id = :team_id AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE state = 'queued' AND pool = :pool AND team_id = :team_id
)

-- name: prunable
-- Ids sort by time: what was not even asked for by then cannot have ended.
SELECT 1 FROM jobs WHERE id < :before AND finished_at <= :until LIMIT 1

-- name: prune
DELETE FROM jobs
WHERE id IN (SELECT id FROM jobs WHERE id < :before AND finished_at <= :until ORDER BY id LIMIT :most)

-- name: running_of
SELECT
    COUNT(*) AS org, COALESCE(SUM(CASE WHEN team_id = :team_id THEN 1 ELSE 0 END), 0) AS team
FROM jobs
WHERE state = 'running' AND org_id = :org_id

-- name: live_by_kind
SELECT 'scheduled' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'scheduled' GROUP BY kind
UNION ALL
SELECT 'queued' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'queued' GROUP BY kind
UNION ALL
SELECT 'running' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'running' GROUP BY kind

-- name: longest_wait
SELECT :wall - MIN(run_at) AS ms FROM jobs WHERE state = 'queued'
