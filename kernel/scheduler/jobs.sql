-- name: insert_jobs (sqlite)
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, executor_id, executor, model, state, priority, run_at,
    max_attempts, unique_key, asked_with, depth, payload, created_at
)
SELECT
    value ->> 'id', value ->> 'org_id', value ->> 'team_id', value ->> 'user_id', value ->> 'kind',
    value ->> 'pool', value ->> 'executor_id', value ->> 'executor', value ->> 'model', value ->> 'state',
    value ->> 'priority', value ->> 'run_at', value ->> 'max_attempts', value ->> 'unique_key',
    value ->> 'asked_with', value ->> 'depth', value ->> 'payload', value ->> 'created_at'
FROM json_each(:jobs)
WHERE TRUE
ON CONFLICT DO NOTHING
RETURNING *

-- name: insert_jobs (postgresql)
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, executor_id, executor, model, state, priority, run_at,
    max_attempts, unique_key, asked_with, depth, payload, created_at
)
SELECT
    id, org_id, team_id, user_id, kind, pool, executor_id, executor, model, state, priority, run_at,
    max_attempts, unique_key, asked_with, depth, payload, created_at
FROM jsonb_to_recordset(CAST(:jobs AS JSONB)) AS given (
    id TEXT, org_id TEXT, team_id TEXT, user_id TEXT, kind TEXT, pool TEXT, executor_id TEXT, executor TEXT,
    model TEXT, state TEXT, priority INTEGER, run_at BIGINT, max_attempts INTEGER, unique_key TEXT,
    asked_with TEXT, depth INTEGER, payload TEXT, created_at BIGINT
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
ORDER BY id DESC
LIMIT :limit

-- name: page_by_state
-- What people see as one state may be two here, each a walk down the index.
SELECT jobs.* FROM (
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND state = :state AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS one
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND state = :or_state AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS other
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_by_kind
-- A walk for each state, by the index that serves both filters.
SELECT jobs.* FROM (
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND kind = :kind AND state = 'scheduled' AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS scheduled
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND kind = :kind AND state = 'queued' AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS queued
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND kind = :kind AND state = 'running' AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS running
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND kind = :kind AND state = 'succeeded' AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS succeeded
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND kind = :kind AND state = 'failed' AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS failed
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND kind = :kind AND state = 'cancelled' AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS cancelled
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_by_kind_and_state
SELECT jobs.* FROM (
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND kind = :kind AND state = :state AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS one
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs WHERE team_id = :team_id AND kind = :kind AND state = :or_state AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS other
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: cancel_job
UPDATE jobs SET
    state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END,
    finished_at = CASE WHEN state = 'running' THEN NULL ELSE :wall END,
    cancel_requested = 1
WHERE id = :id AND team_id = :team_id AND state IN ('scheduled', 'queued', 'running')
RETURNING *

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
