-- Many runs of one team, each with many steps and a map of many items.

-- name: runs
INSERT INTO runs (
    id, org_id, team_id, slug, version, state, input, locale, created_by, chain, steps_used, last_number, revision,
    created_at, moved_at
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:runs AS BIGINT))
SELECT 'run_' || CAST(i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), 'x', 1, 'running', '{}', 'en',
    CAST(:user_id AS TEXT), '[]', 0, 0, 0, 0, 0
FROM n

-- name: steps
INSERT INTO run_steps (run_id, number, name, kind, state, done, failed, bytes, revision, started_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:each AS BIGINT))
SELECT runs.id, n.i, 'a', 'map', 'running', 0, 0, 0, 0, 0 FROM runs CROSS JOIN n

-- name: items
INSERT INTO run_items (run_id, number, idx, state, item)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:each AS BIGINT))
SELECT runs.id, 1, n.i, CASE WHEN n.i % 2 = 0 THEN 'waiting' ELSE 'running' END, '1' FROM runs CROSS JOIN n

-- name: waiting_steps
INSERT INTO run_steps (run_id, number, name, kind, state, done, failed, bytes, revision, started_at)
SELECT runs.id, 0, 'ask', 'approve', 'waiting', 0, 0, 0, 0, 0 FROM runs

-- name: waiting_runs
UPDATE runs SET waits = 1

-- name: waits
INSERT INTO run_waits (run_id, number, org_id, team_id, due_at, begun_at, ending)
SELECT runs.id, 0, runs.org_id, runs.team_id, 1000000000000000, 0, '{}' FROM runs

-- name: approvals
INSERT INTO approvals (
    id, org_id, team_id, run_id, number, step, title, role, requested_by, requested_at, remind_at
)
SELECT 'apr_' || runs.id, runs.org_id, runs.team_id, runs.id, 0, 'ask', 't', 'admin', runs.created_by, 0, 1000000000000000
FROM runs
