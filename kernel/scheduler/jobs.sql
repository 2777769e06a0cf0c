-- name: insert_job [quick]
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, bound_to, worker, requirement, state, priority, run_at,
    max_attempts, unique_key, asked_with, scope, depth, within, payload, created_at
)
VALUES (
    :id, :org_id, :team_id, :user_id, :kind, :pool, :bound_to, :worker, :requirement, :state, :priority, :run_at,
    :max_attempts, :unique_key, :asked_with, :scope, :depth, :within, :payload, :created_at
)
ON CONFLICT DO NOTHING
RETURNING id

-- name: insert_jobs (sqlite)
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, bound_to, worker, requirement, state, priority, run_at,
    max_attempts, unique_key, asked_with, scope, depth, within, payload, created_at
)
SELECT
    value ->> 'id', value ->> 'org_id', value ->> 'team_id', value ->> 'user_id', value ->> 'kind',
    value ->> 'pool', value ->> 'bound_to', value ->> 'worker', value ->> 'requirement', value ->> 'state',
    value ->> 'priority', value ->> 'run_at', value ->> 'max_attempts', value ->> 'unique_key',
    value ->> 'asked_with', value ->> 'scope', value ->> 'depth', value ->> 'within', value ->> 'payload', value ->> 'created_at'
FROM json_each(:jobs)
WHERE TRUE
ON CONFLICT DO NOTHING
RETURNING id

-- name: insert_jobs (postgresql)
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, bound_to, worker, requirement, state, priority, run_at,
    max_attempts, unique_key, asked_with, scope, depth, within, payload, created_at
)
SELECT
    id, org_id, team_id, user_id, kind, pool, bound_to, worker, requirement, state, priority, run_at,
    max_attempts, unique_key, asked_with, scope, depth, within, payload, created_at
-- JSON and not JSONB: what is read once and in whole is not sorted first.
FROM json_to_recordset(CAST(:jobs AS JSON)) AS given (
    id TEXT, org_id TEXT, team_id TEXT, user_id TEXT, kind TEXT, pool TEXT, bound_to TEXT, worker TEXT,
    requirement TEXT, state TEXT, priority INTEGER, run_at BIGINT, max_attempts INTEGER, unique_key TEXT,
    asked_with TEXT, scope TEXT, depth INTEGER, within TEXT, payload TEXT, created_at BIGINT
)
ON CONFLICT DO NOTHING
RETURNING id

-- name: live_twin
SELECT * FROM jobs
WHERE team_id = :team_id AND kind = :kind AND unique_key = :unique_key
    AND state IN ('scheduled', 'queued', 'running')

-- name: job
SELECT * FROM jobs WHERE id = :id AND team_id = :team_id

-- name: page_of_jobs
SELECT * FROM jobs
WHERE team_id = :team_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: page_of_ended (sqlite)
-- Jobs that are over have an index, and those that are not another, which no claim changes. Both go by kind: for all
-- of them there is a walk for each kind that the team has, which are few.
WITH RECURSIVE kinds (kind) AS (
    SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled')
    UNION ALL
    SELECT (SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled') AND kind > kinds.kind)
    FROM kinds WHERE kinds.kind IS NOT NULL
)
SELECT jobs.* FROM (
    SELECT job.id FROM kinds
    CROSS JOIN jobs AS job ON job.id IN (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled') AND kind = kinds.kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    )
    ORDER BY job.id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_ended (postgresql)
WITH RECURSIVE kinds (kind) AS (
    SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled')
    UNION ALL
    SELECT (SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled') AND kind > kinds.kind)
    FROM kinds WHERE kinds.kind IS NOT NULL
)
SELECT jobs.* FROM (
    SELECT job.id FROM kinds
    CROSS JOIN LATERAL (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled') AND kind = kinds.kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS job
    ORDER BY job.id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_ended_by_kind
SELECT jobs.* FROM (
    SELECT id FROM jobs
    WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled') AND kind = :kind AND id < :before
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_waiting (sqlite)
-- Those that run are passed by: they are few.
WITH RECURSIVE kinds (kind) AS (
    SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND state <> 'running'
    UNION ALL
    SELECT (SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND state <> 'running' AND kind > kinds.kind)
    FROM kinds WHERE kinds.kind IS NOT NULL
)
SELECT jobs.* FROM (
    SELECT job.id FROM kinds
    CROSS JOIN jobs AS job ON job.id IN (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND state <> 'running' AND kind = kinds.kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    )
    ORDER BY job.id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_waiting (postgresql)
WITH RECURSIVE kinds (kind) AS (
    SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND state <> 'running'
    UNION ALL
    SELECT (SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND state <> 'running' AND kind > kinds.kind)
    FROM kinds WHERE kinds.kind IS NOT NULL
)
SELECT jobs.* FROM (
    SELECT job.id FROM kinds
    CROSS JOIN LATERAL (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND state <> 'running' AND kind = kinds.kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS job
    ORDER BY job.id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_waiting_by_kind
SELECT jobs.* FROM (
    SELECT id FROM jobs
    WHERE team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND state <> 'running' AND kind = :kind AND id < :before
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_running
-- By the index of those that run: in the order of ids the walk would pass by all that ended.
SELECT jobs.* FROM (
    SELECT id FROM jobs INDEXED BY jobs_running -- (sqlite)
    SELECT id FROM jobs -- (postgresql)
    WHERE state = 'running' AND org_id = (SELECT org_id FROM teams WHERE id = :team_id) AND team_id = :team_id
        AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind) AND id < :before
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_by_kind
-- A walk for those that are not over, and one for each way in which others ended.
SELECT jobs.* FROM (
    SELECT id FROM (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state IN ('scheduled', 'queued', 'running') AND kind = :kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS unfinished
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = 'succeeded' AND state IN ('succeeded', 'failed', 'cancelled') AND kind = :kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS succeeded
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = 'failed' AND state IN ('succeeded', 'failed', 'cancelled') AND kind = :kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS failed
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = 'cancelled' AND state IN ('succeeded', 'failed', 'cancelled') AND kind = :kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS cancelled
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

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

-- name: cancel_family
-- The job with those that were asked for within it, and within these.
WITH RECURSIVE family (id) AS (
    SELECT id FROM jobs WHERE id = :id AND team_id = :team_id
    UNION
    SELECT child.id FROM family JOIN jobs AS child ON child.within = family.id
)
UPDATE jobs SET
    state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END,
    finished_at = CASE WHEN state = 'running' THEN NULL ELSE :wall END,
    cancel_requested = 1
WHERE id IN (SELECT id FROM family) AND state IN ('scheduled', 'queued', 'running')
RETURNING id, kind, state

-- name: stop_family (sqlite)
-- As `cancel_family`; what runs and is of a kind that can be stopped is to be stopped.
WITH RECURSIVE family (id) AS (
    SELECT id FROM jobs WHERE id = :id AND team_id = :team_id
    UNION
    SELECT child.id FROM family JOIN jobs AS child ON child.within = family.id
)
UPDATE jobs SET
    state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END,
    finished_at = CASE WHEN state = 'running' THEN NULL ELSE :wall END,
    cancel_requested = 1,
    stop_requested = state = 'running' AND kind IN (SELECT value FROM json_each(:kinds))
WHERE id IN (SELECT id FROM family) AND state IN ('scheduled', 'queued', 'running')
RETURNING id, kind, state, stop_requested

-- name: stop_family (postgresql)
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
        WHEN state = 'running' AND kind IN (SELECT jsonb_array_elements_text(CAST(:kinds AS JSONB))) THEN 1
        ELSE 0
    END
WHERE id IN (SELECT id FROM family) AND state IN ('scheduled', 'queued', 'running')
RETURNING id, kind, state, stop_requested

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
RETURNING id, kind, state

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
RETURNING id, kind, state

-- name: cancel_of_person (sqlite)
UPDATE jobs SET
    state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END,
    finished_at = CASE WHEN state = 'running' THEN NULL ELSE :wall END,
    error_code = CASE WHEN state = 'running' THEN error_code ELSE :code END,
    error_message = CASE WHEN state = 'running' THEN error_message ELSE :message END,
    cancel_requested = 1
WHERE team_id = :team_id AND user_id = :user_id AND state IN ('scheduled', 'queued', 'running')
    AND kind IN (SELECT value FROM json_each(:kinds))
RETURNING id, kind, state

-- name: cancel_of_person (postgresql)
-- What is just being claimed, or ends, is passed over: nobody waits here for it.
UPDATE jobs SET
    state = CASE WHEN state = 'running' THEN state ELSE 'cancelled' END,
    finished_at = CASE WHEN state = 'running' THEN NULL ELSE :wall END,
    error_code = CASE WHEN state = 'running' THEN error_code ELSE :code END,
    error_message = CASE WHEN state = 'running' THEN error_message ELSE :message END,
    cancel_requested = 1
WHERE id = ANY (ARRAY (
    SELECT id FROM jobs
    WHERE team_id = :team_id AND user_id = :user_id AND state IN ('scheduled', 'queued', 'running')
        AND kind IN (SELECT jsonb_array_elements_text(CAST(:kinds AS JSONB)))
    FOR UPDATE SKIP LOCKED
))
RETURNING id, kind, state

-- name: live_by_kind
SELECT 'scheduled' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'scheduled' GROUP BY kind
UNION ALL
SELECT 'queued' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'queued' GROUP BY kind
UNION ALL
SELECT 'running' AS state, kind, COUNT(*) AS many FROM jobs WHERE state = 'running' GROUP BY kind

-- name: longest_wait
SELECT :wall - MIN(run_at) AS ms FROM jobs WHERE state = 'queued'
