-- name: insert_job [quick]
-- It tells whether the lane is open, and keeps it so until the job can be seen.
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, bound_to, worker, requirement, state, priority, run_at,
    max_attempts, unique_key, asked_with, scope, depth, within, trace, payload, created_at
)
VALUES (
    :id, :org_id, :team_id, :user_id, :kind, :pool, :bound_to, :worker, :requirement, :state, :priority, :run_at,
    :max_attempts, :unique_key, :asked_with, :scope, :depth, :within, :trace, :payload, :created_at
)
ON CONFLICT DO NOTHING
RETURNING id, (
    SELECT active FROM job_lanes
    WHERE pool = :pool AND team_id = :team_id AND requirement = COALESCE(CAST(:requirement AS TEXT), '')
    FOR KEY SHARE -- (postgresql)
) AS active

-- name: insert_jobs (sqlite)
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, bound_to, worker, requirement, state, priority, run_at,
    max_attempts, unique_key, asked_with, scope, depth, within, trace, payload, created_at
)
SELECT
    value ->> 'id', value ->> 'org_id', value ->> 'team_id', value ->> 'user_id', value ->> 'kind',
    value ->> 'pool', value ->> 'bound_to', value ->> 'worker', value ->> 'requirement', value ->> 'state',
    value ->> 'priority', value ->> 'run_at', value ->> 'max_attempts', value ->> 'unique_key',
    value ->> 'asked_with', value ->> 'scope', value ->> 'depth', value ->> 'within', value ->> 'trace',
    value ->> 'payload', value ->> 'created_at'
FROM json_each(:jobs)
WHERE TRUE
ON CONFLICT DO NOTHING
RETURNING id

-- name: insert_jobs (postgresql)
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, bound_to, worker, requirement, state, priority, run_at,
    max_attempts, unique_key, asked_with, scope, depth, within, trace, payload, created_at
)
SELECT
    id, org_id, team_id, user_id, kind, pool, bound_to, worker, requirement, state, priority, run_at,
    max_attempts, unique_key, asked_with, scope, depth, within, trace, payload, created_at
-- JSON and not JSONB: what is read once and in whole is not sorted first.
FROM json_to_recordset(CAST(:jobs AS JSON)) AS given (
    id TEXT, org_id TEXT, team_id TEXT, user_id TEXT, kind TEXT, pool TEXT, bound_to TEXT, worker TEXT,
    requirement TEXT, state TEXT, priority INTEGER, run_at BIGINT, max_attempts INTEGER, unique_key TEXT,
    asked_with TEXT, scope TEXT, depth INTEGER, within TEXT, trace TEXT, payload TEXT, created_at BIGINT
)
ON CONFLICT DO NOTHING
RETURNING id

-- name: live_twin
SELECT * FROM jobs
WHERE team_id = :team_id AND kind = :kind AND unique_key = :unique_key
    AND state IN ('scheduled', 'queued', 'running')

-- name: job
SELECT * FROM jobs WHERE id = :id AND team_id = :team_id

-- name: ancestry
-- The job and those it was asked for within, from itself upwards.
WITH RECURSIVE family (id, within, step) AS (
    SELECT id, within, 0 FROM jobs WHERE id = :id AND team_id = :team_id
    UNION ALL
    SELECT parent.id, parent.within, family.step + 1
    FROM family JOIN jobs AS parent ON parent.id = family.within
    WHERE family.step < :max_steps
)
SELECT id FROM family ORDER BY step

-- name: open_to_children
SELECT 1 FROM jobs
WHERE id = :id AND team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND cancel_requested = 0

-- name: move_up [quick]
-- It was there already, and now another job waits for it.
UPDATE jobs SET priority = priority + 1000
WHERE id = :id AND state IN ('scheduled', 'queued', 'running') AND priority <= 100

-- name: live_by_kind
SELECT 'scheduled' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'scheduled' GROUP BY kind
UNION ALL
SELECT 'queued' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'queued' GROUP BY kind
UNION ALL
SELECT 'running' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'running' GROUP BY kind

-- name: longest_wait
SELECT :wall - MIN(run_at) AS ms FROM jobs WHERE state = 'queued'
