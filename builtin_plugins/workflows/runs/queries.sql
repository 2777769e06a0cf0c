-- name: insert_run
INSERT INTO runs (
    id, org_id, team_id, slug, version, state, input, locale, created_by, asked_with, scope, trigger_id,
    object_id, object_version, chain, retry_of, parent_run, root_run, depth, steps_used, last_number, revision,
    error_code, error_message, error_step, created_at, moved_at, finished_at
)
VALUES (
    :id, :org_id, :team_id, :slug, :version, :state, :input, :locale, :created_by,
    CAST(:asked_with AS TEXT), CAST(:scope AS TEXT), CAST(:trigger_id AS TEXT), CAST(:object_id AS TEXT),
    CAST(:object_version AS BIGINT), :chain, CAST(:retry_of AS TEXT), CAST(:parent_run AS TEXT),
    CAST(:root_run AS TEXT), :depth, :steps_used, :last_number, :revision,
    CAST(:error_code AS TEXT), CAST(:error_message AS TEXT), CAST(:error_step AS TEXT), :now, :now,
    CAST(:finished_at AS BIGINT)
)

-- name: insert_begun_run (sqlite)
-- One whose first step is a job of its own. PostgreSQL inserts that along, and `begun` says so: that saves a round trip.
INSERT INTO runs (
    id, org_id, team_id, slug, version, state, input, locale, created_by, asked_with, scope, trigger_id,
    object_id, object_version, chain, retry_of, parent_run, root_run, depth, steps_used, last_number, revision,
    created_at, moved_at
)
VALUES (
    :id, :org_id, :team_id, :slug, :version, 'running', :input, :locale, :created_by, :asked_with, :scope,
    :trigger_id, :object_id, :object_version, :chain, :retry_of, :parent_run, :root_run, :depth, :steps_used,
    :last_number, :revision, :now, :now
)
RETURNING 0 AS begun

-- name: insert_begun_run (postgresql)
WITH run AS (
    INSERT INTO runs (
        id, org_id, team_id, slug, version, state, input, locale, created_by, asked_with, scope, trigger_id,
        object_id, object_version, chain, retry_of, parent_run, root_run, depth, steps_used, last_number,
        revision, created_at, moved_at
    )
    VALUES (
        :id, :org_id, :team_id, :slug, :version, 'running', :input, :locale, :created_by, :asked_with, :scope,
        :trigger_id, :object_id, :object_version, :chain, :retry_of, :parent_run, :root_run, :depth, :steps_used,
        :last_number, :revision, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
    )
    RETURNING id
)
INSERT INTO run_steps (run_id, number, name, kind, state, job_id, revision, started_at)
SELECT
    run.id, CAST(:number AS INTEGER), CAST(:name AS TEXT), CAST(:kind AS TEXT), 'running', CAST(:job_id AS TEXT),
    CAST(:step_revision AS BIGINT), CAST(:now AS BIGINT)
FROM run
RETURNING 1 AS begun

-- name: lock_runs (sqlite)
SELECT
    id, org_id, team_id, slug, version, state, locale, created_by, asked_with, scope, steps_used, last_number,
    revision, trigger_id, object_version, parent_run
FROM runs WHERE id IN (SELECT value FROM json_each(:ids))

-- name: lock_runs (postgresql)
-- In the order of the ids, so that no two of us wait for one another. OFFSET 0 finds each by its key, also with a
-- plan that was made while the table was empty.
SELECT found.*
FROM jsonb_array_elements_text(CAST(:ids AS JSONB)) AS given (id)
CROSS JOIN LATERAL (
    SELECT
        id, org_id, team_id, slug, version, state, locale, created_by, asked_with, scope, steps_used, last_number,
        revision, trigger_id, object_version, parent_run
    FROM runs WHERE runs.id = given.id
    OFFSET 0
    FOR UPDATE
) AS found

-- name: lock_run
SELECT
    id, org_id, team_id, slug, version, state, locale, created_by, asked_with, scope, steps_used, last_number,
    revision, trigger_id, object_version, parent_run
FROM runs WHERE id = :id AND team_id = :team_id
FOR UPDATE -- (postgresql)

-- name: move_runs (sqlite)
-- Without their state, which indexes have: SQLite writes those anew for a column that is set to what it is.
UPDATE runs SET
    steps_used = given.value ->> 1, last_number = given.value ->> 2, revision = given.value ->> 3,
    moved_at = :now
FROM json_each(:runs) AS given
WHERE runs.id = (given.value ->> 0) AND runs.state = 'running'

-- name: move_runs (postgresql)
UPDATE runs SET
    steps_used = CAST(given.value ->> 1 AS INTEGER), last_number = CAST(given.value ->> 2 AS INTEGER),
    revision = CAST(given.value ->> 3 AS BIGINT), moved_at = :now
FROM jsonb_array_elements(CAST(:runs AS JSONB)) AS given (value)
WHERE jsonb_typeof(given.value) = 'array' AND runs.id = (given.value ->> 0)
    AND CASE WHEN runs.state = 'running' THEN TRUE ELSE FALSE END

-- name: end_runs (sqlite)
UPDATE runs SET
    steps_used = given.value ->> 1, last_number = given.value ->> 2, revision = given.value ->> 3,
    state = given.value ->> 4, error_code = given.value ->> 5, error_message = given.value ->> 6,
    error_step = given.value ->> 7, moved_at = :now, finished_at = :now
FROM json_each(:runs) AS given
WHERE runs.id = (given.value ->> 0) AND runs.state = 'running'

-- name: end_runs (postgresql)
UPDATE runs SET
    steps_used = CAST(given.value ->> 1 AS INTEGER), last_number = CAST(given.value ->> 2 AS INTEGER),
    revision = CAST(given.value ->> 3 AS BIGINT), state = given.value ->> 4, error_code = given.value ->> 5,
    error_message = given.value ->> 6, error_step = given.value ->> 7, moved_at = :now, finished_at = :now
FROM jsonb_array_elements(CAST(:runs AS JSONB)) AS given (value)
WHERE jsonb_typeof(given.value) = 'array' AND runs.id = (given.value ->> 0)
    AND CASE WHEN runs.state = 'running' THEN TRUE ELSE FALSE END

-- name: insert_steps (sqlite)
INSERT INTO run_steps (
    run_id, number, name, kind, state, job_id, output, error_code, error_message, total, waiting, next_index,
    done, failed, bytes, parent, branch, revision, started_at, finished_at
)
SELECT
    value ->> 'run_id', value ->> 'number', value ->> 'name', value ->> 'kind', value ->> 'state',
    value ->> 'job_id', value ->> 'output', value ->> 'error_code', value ->> 'error_message', value ->> 'total',
    value ->> 'waiting', value ->> 'next_index', value ->> 'done', value ->> 'failed', value ->> 'bytes',
    value ->> 'parent', value ->> 'branch', value ->> 'revision', :now, CASE WHEN value ->> 'state' = 'running' THEN NULL ELSE :now END
FROM json_each(:steps)

-- name: insert_steps (postgresql)
-- JSON and not JSONB: what is read once and in whole is not sorted first.
INSERT INTO run_steps (
    run_id, number, name, kind, state, job_id, output, error_code, error_message, total, waiting, next_index,
    done, failed, bytes, parent, branch, revision, started_at, finished_at
)
SELECT
    run_id, number, name, kind, state, job_id, output, error_code, error_message, total, waiting, next_index,
    done, failed, bytes, parent, branch, revision, CAST(:now AS BIGINT),
    CASE WHEN state = 'running' THEN NULL ELSE CAST(:now AS BIGINT) END
FROM json_to_recordset(CAST(:steps AS JSON)) AS given (
    run_id TEXT, number INTEGER, name TEXT, kind TEXT, state TEXT, job_id TEXT, output TEXT, error_code TEXT,
    error_message TEXT, total INTEGER, waiting INTEGER, next_index INTEGER, done INTEGER, failed INTEGER,
    bytes BIGINT, parent INTEGER, branch INTEGER, revision BIGINT
)

-- name: insert_begun_step [quick]
-- One that begins, with its job.
INSERT INTO run_steps (run_id, number, name, kind, state, job_id, revision, started_at)
VALUES (:run_id, :number, :name, :kind, 'running', :job_id, :revision, :now)

-- name: insert_begun_steps (sqlite)
-- Those that begin, each with its job.
INSERT INTO run_steps (run_id, number, name, kind, state, job_id, revision, parent, branch, started_at)
SELECT
    value ->> 0, value ->> 1, value ->> 2, value ->> 5, 'running', value ->> 3, value ->> 4, value ->> 6,
    value ->> 7, :now
FROM json_each(:steps)

-- name: insert_begun_steps (postgresql)
INSERT INTO run_steps (run_id, number, name, kind, state, job_id, revision, parent, branch, started_at)
SELECT
    value ->> 0, CAST(value ->> 1 AS INTEGER), value ->> 2, value ->> 5, 'running', value ->> 3,
    CAST(value ->> 4 AS BIGINT), CAST(value ->> 6 AS INTEGER), CAST(value ->> 7 AS INTEGER),
    CAST(:now AS BIGINT)
FROM jsonb_array_elements(CAST(:steps AS JSONB)) AS given (value)

-- name: end_steps (sqlite)
UPDATE run_steps SET
    revision = given.value ->> 3, state = given.value ->> 4, output = given.value ->> 5,
    error_code = given.value ->> 6, error_message = given.value ->> 7,
    finished_at = CASE WHEN given.value ->> 4 = 'waiting' THEN NULL ELSE :now END
FROM json_each(:ends) AS given
WHERE run_steps.run_id = (given.value ->> 0) AND run_steps.number = (given.value ->> 1)
    AND run_steps.state = 'running'
RETURNING
    run_steps.run_id, run_steps.number, run_steps.name, run_steps.state, run_steps.error_code,
    run_steps.error_message, run_steps.parent, run_steps.branch

-- name: end_steps (postgresql)
-- So written that each is found by its key, also with a plan that was made while the table was empty: the planner
-- takes it that few of what is given are arrays, which all are, and cannot begin with the state. So below and with
-- maps.
UPDATE run_steps SET
    revision = CAST(given.value ->> 3 AS BIGINT), state = given.value ->> 4, output = given.value ->> 5,
    error_code = given.value ->> 6, error_message = given.value ->> 7,
    finished_at = CASE WHEN given.value ->> 4 = 'waiting' THEN NULL ELSE CAST(:now AS BIGINT) END
FROM jsonb_array_elements(CAST(:ends AS JSONB)) AS given (value)
WHERE jsonb_typeof(given.value) = 'array' AND run_steps.run_id = (given.value ->> 0)
    AND run_steps.number = CAST(given.value ->> 1 AS INTEGER)
    AND CASE WHEN run_steps.state = 'running' THEN TRUE ELSE FALSE END
RETURNING
    run_steps.run_id, run_steps.number, run_steps.name, run_steps.state, run_steps.error_code,
    run_steps.error_message, run_steps.parent, run_steps.branch

-- name: outputs
-- Of each step the last that succeeded.
SELECT
    given.value ->> 0 AS run_id, given.value ->> 1 AS name,
    (
        SELECT output FROM run_steps
        WHERE run_id = (given.value ->> 0) AND name = (given.value ->> 1) AND state = 'succeeded'
        ORDER BY number DESC LIMIT 1
    ) AS output
FROM json_each(:wanted) AS given -- (sqlite)
FROM jsonb_array_elements(CAST(:wanted AS JSONB)) AS given (value) -- (postgresql)

-- name: inputs (sqlite)
SELECT id, input FROM runs WHERE id IN (SELECT value FROM json_each(:ids))

-- name: inputs (postgresql)
SELECT found.id, found.input
FROM jsonb_array_elements_text(CAST(:ids AS JSONB)) AS given (id)
CROSS JOIN LATERAL (SELECT id, input FROM runs WHERE runs.id = given.id OFFSET 0) AS found

-- name: step_call [quick]
SELECT
    runs.state AS run_state, runs.slug, runs.version, runs.locale, runs.created_by, run_steps.name,
    run_steps.state, run_steps.tries
FROM runs JOIN run_steps ON run_steps.run_id = runs.id
WHERE runs.id = :run_id AND runs.team_id = :team_id AND run_steps.number = :number

-- name: step_calls (sqlite)
-- CROSS JOIN goes from what is given to the runs, and not through all runs of the team.
SELECT
    run_steps.run_id, run_steps.number, runs.state AS run_state, runs.slug, runs.version, runs.locale,
    runs.created_by, run_steps.name, run_steps.state, run_steps.tries
FROM json_each(:calls) AS given
CROSS JOIN runs ON runs.id = (given.value ->> 0)
CROSS JOIN run_steps ON run_steps.run_id = runs.id AND run_steps.number = (given.value ->> 1)
WHERE runs.team_id = :team_id

-- name: step_calls (postgresql)
-- OFFSET 0 finds each by its key: as a join it reads all items of a map for each of them.
SELECT
    run_steps.run_id, run_steps.number, runs.state AS run_state, runs.slug, runs.version, runs.locale,
    runs.created_by, run_steps.name, run_steps.state, run_steps.tries
FROM jsonb_array_elements(CAST(:calls AS JSONB)) AS given (value)
CROSS JOIN LATERAL (
    SELECT * FROM runs WHERE runs.id = (given.value ->> 0) AND runs.team_id = :team_id OFFSET 0
) AS runs
CROSS JOIN LATERAL (
    SELECT * FROM run_steps
    WHERE run_steps.run_id = runs.id AND run_steps.number = CAST(given.value ->> 1 AS INTEGER)
    OFFSET 0
) AS run_steps

-- name: count_step_try
-- Once for each attempt at its job.
UPDATE run_steps SET tries = tries + 1, tried_attempt = :attempt
WHERE run_id = :run_id AND number = :number AND state = 'running' AND tried_attempt < :attempt

-- name: live_jobs
SELECT job_id, number, NULL AS idx FROM run_steps
WHERE run_id = :run_id AND state = 'running' AND job_id IS NOT NULL
UNION ALL
SELECT job_id, number, idx FROM run_items
WHERE run_id = :run_id AND state = 'running' AND job_id IS NOT NULL

-- name: last_step
-- Outside of branches, which are done again with the step that holds them.
SELECT number, name, kind, state, total FROM run_steps
WHERE run_id = :run_id AND parent IS NULL
ORDER BY number DESC
LIMIT 1

-- name: runs_by_state
SELECT state, COUNT(*) AS many FROM runs GROUP BY state

-- name: versions_in_use (sqlite)
-- The versions that runs under way were started for.
SELECT json_extract(wanted.value, '$[2]') AS version_id
FROM json_each(:versions) AS wanted
JOIN runs ON runs.team_id = :team_id AND runs.object_id = json_extract(wanted.value, '$[0]')
WHERE runs.object_version = json_extract(wanted.value, '$[1]') AND runs.state = 'running'

-- name: versions_in_use (postgresql)
SELECT wanted.value ->> 2 AS version_id
FROM json_array_elements(CAST(CAST(:versions AS TEXT) AS JSON)) AS wanted (value)
JOIN runs ON runs.team_id = :team_id AND runs.object_id = wanted.value ->> 0
WHERE runs.object_version = CAST(wanted.value ->> 1 AS BIGINT) AND runs.state = 'running'

-- name: running_of
SELECT id FROM runs WHERE team_id = :team_id AND state = 'running' AND created_by = :user_id ORDER BY id
