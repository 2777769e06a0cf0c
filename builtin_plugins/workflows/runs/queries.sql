-- name: insert_run
INSERT INTO runs (
    id, org_id, team_id, slug, version, state, input, locale, created_by, asked_with, scope, trigger_id,
    object_id, object_version, chain, retry_of, steps_used, last_number, revision, error_code, error_message,
    error_step, created_at, moved_at, finished_at
)
VALUES (
    :id, :org_id, :team_id, :slug, :version, :state, :input, :locale, :created_by,
    CAST(:asked_with AS TEXT), CAST(:scope AS TEXT), CAST(:trigger_id AS TEXT), CAST(:object_id AS TEXT),
    CAST(:object_version AS BIGINT), :chain, CAST(:retry_of AS TEXT), :steps_used, :last_number, :revision,
    CAST(:error_code AS TEXT), CAST(:error_message AS TEXT), CAST(:error_step AS TEXT), :now, :now,
    CAST(:finished_at AS BIGINT)
)

-- name: lock_runs (sqlite)
SELECT
    id, org_id, team_id, slug, version, state, locale, created_by, asked_with, scope, steps_used, last_number,
    revision
FROM runs WHERE id IN (SELECT value FROM json_each(:ids))

-- name: lock_runs (postgresql)
-- In one order, so that no two of us wait for one another.
SELECT
    id, org_id, team_id, slug, version, state, locale, created_by, asked_with, scope, steps_used, last_number,
    revision
FROM runs WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:ids AS JSONB))))
ORDER BY id
FOR UPDATE

-- name: lock_run
SELECT
    id, org_id, team_id, slug, version, state, locale, created_by, asked_with, scope, steps_used, last_number,
    revision
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
WHERE runs.id = (given.value ->> 0) AND runs.state = 'running'

-- name: end_runs (sqlite)
UPDATE runs SET
    state = given.value ->> 'state', steps_used = given.value ->> 'steps_used',
    last_number = given.value ->> 'last_number', revision = given.value ->> 'revision',
    error_code = given.value ->> 'error_code', error_message = given.value ->> 'error_message',
    error_step = given.value ->> 'error_step', moved_at = :now, finished_at = :now
FROM json_each(:runs) AS given
WHERE runs.id = (given.value ->> 'id') AND runs.state = 'running'

-- name: end_runs (postgresql)
-- JSON and not JSONB, here and below: what is read once and in whole is not sorted first.
UPDATE runs SET
    state = given.state, steps_used = given.steps_used, last_number = given.last_number,
    revision = given.revision, error_code = given.error_code, error_message = given.error_message,
    error_step = given.error_step, moved_at = :now, finished_at = :now
FROM json_to_recordset(CAST(:runs AS JSON)) AS given (
    id TEXT, state TEXT, steps_used INTEGER, last_number INTEGER, revision BIGINT, error_code TEXT,
    error_message TEXT, error_step TEXT
)
WHERE runs.id = given.id AND runs.state = 'running'

-- name: insert_steps (sqlite)
INSERT INTO run_steps (
    run_id, number, name, kind, state, job_id, output, error_code, error_message, total, waiting, next_index,
    done, failed, bytes, revision, started_at, finished_at
)
SELECT
    value ->> 'run_id', value ->> 'number', value ->> 'name', value ->> 'kind', value ->> 'state',
    value ->> 'job_id', value ->> 'output', value ->> 'error_code', value ->> 'error_message', value ->> 'total',
    value ->> 'waiting', value ->> 'next_index', value ->> 'done', value ->> 'failed', value ->> 'bytes',
    value ->> 'revision', :now, CASE WHEN value ->> 'state' = 'running' THEN NULL ELSE :now END
FROM json_each(:steps)

-- name: insert_steps (postgresql)
INSERT INTO run_steps (
    run_id, number, name, kind, state, job_id, output, error_code, error_message, total, waiting, next_index,
    done, failed, bytes, revision, started_at, finished_at
)
SELECT
    run_id, number, name, kind, state, job_id, output, error_code, error_message, total, waiting, next_index,
    done, failed, bytes, revision, CAST(:now AS BIGINT),
    CASE WHEN state = 'running' THEN NULL ELSE CAST(:now AS BIGINT) END
FROM json_to_recordset(CAST(:steps AS JSON)) AS given (
    run_id TEXT, number INTEGER, name TEXT, kind TEXT, state TEXT, job_id TEXT, output TEXT, error_code TEXT,
    error_message TEXT, total INTEGER, waiting INTEGER, next_index INTEGER, done INTEGER, failed INTEGER,
    bytes BIGINT, revision BIGINT
)

-- name: insert_tool_steps (sqlite)
-- Those that begin, each with its job.
INSERT INTO run_steps (run_id, number, name, kind, state, job_id, revision, started_at)
SELECT value ->> 0, value ->> 1, value ->> 2, 'tool', 'running', value ->> 3, value ->> 4, :now
FROM json_each(:steps)

-- name: insert_tool_steps (postgresql)
INSERT INTO run_steps (run_id, number, name, kind, state, job_id, revision, started_at)
SELECT
    value ->> 0, CAST(value ->> 1 AS INTEGER), value ->> 2, 'tool', 'running', value ->> 3,
    CAST(value ->> 4 AS BIGINT), CAST(:now AS BIGINT)
FROM jsonb_array_elements(CAST(:steps AS JSONB)) AS given (value)

-- name: end_steps (sqlite)
UPDATE run_steps SET
    revision = given.value ->> 3, state = given.value ->> 4, output = given.value ->> 5,
    error_code = given.value ->> 6, error_message = given.value ->> 7, finished_at = :now
FROM json_each(:ends) AS given
WHERE run_steps.run_id = (given.value ->> 0) AND run_steps.number = (given.value ->> 1)
    AND run_steps.state = 'running'
RETURNING run_steps.run_id, run_steps.name, run_steps.state, run_steps.error_code, run_steps.error_message

-- name: end_steps (postgresql)
UPDATE run_steps SET
    revision = CAST(given.value ->> 3 AS BIGINT), state = given.value ->> 4, output = given.value ->> 5,
    error_code = given.value ->> 6, error_message = given.value ->> 7, finished_at = :now
FROM jsonb_array_elements(CAST(:ends AS JSONB)) AS given (value)
WHERE run_steps.run_id = (given.value ->> 0) AND run_steps.number = CAST(given.value ->> 1 AS INTEGER)
    AND run_steps.state = 'running'
RETURNING run_steps.run_id, run_steps.name, run_steps.state, run_steps.error_code, run_steps.error_message

-- name: insert_items (sqlite)
INSERT INTO run_items (run_id, number, idx, state, item, job_id)
SELECT
    :run_id, :number, key, CASE WHEN key < json_array_length(:job_ids) THEN 'running' ELSE 'waiting' END,
    value, json_extract(:job_ids, '$[' || key || ']')
FROM json_each(:items)

-- name: insert_items (postgresql)
INSERT INTO run_items (run_id, number, idx, state, item, job_id)
SELECT
    CAST(:run_id AS TEXT), CAST(:number AS INTEGER), place - 1,
    CASE WHEN place <= jsonb_array_length(CAST(:job_ids AS JSONB)) THEN 'running' ELSE 'waiting' END,
    value, CAST(:job_ids AS JSONB) ->> (CAST(place AS INTEGER) - 1)
FROM jsonb_array_elements_text(CAST(:items AS JSONB)) WITH ORDINALITY AS given (value, place)

-- name: end_items (sqlite)
UPDATE run_items SET
    state = given.value ->> 4, output = given.value ->> 5, error_code = given.value ->> 6,
    error_message = given.value ->> 7
FROM json_each(:ends) AS given
WHERE run_items.run_id = (given.value ->> 0) AND run_items.number = (given.value ->> 1)
    AND run_items.idx = (given.value ->> 2) AND run_items.state = 'running'
RETURNING run_items.run_id, run_items.number, run_items.idx

-- name: end_items (postgresql)
UPDATE run_items SET
    state = given.value ->> 4, output = given.value ->> 5, error_code = given.value ->> 6,
    error_message = given.value ->> 7
FROM jsonb_array_elements(CAST(:ends AS JSONB)) AS given (value)
WHERE run_items.run_id = (given.value ->> 0) AND run_items.number = CAST(given.value ->> 1 AS INTEGER)
    AND run_items.idx = CAST(given.value ->> 2 AS INTEGER) AND run_items.state = 'running'
RETURNING run_items.run_id, run_items.number, run_items.idx

-- name: count_items (sqlite)
UPDATE run_steps SET
    done = done + (given.value ->> 'done'), failed = failed + (given.value ->> 'failed'),
    bytes = bytes + (given.value ->> 'bytes'), revision = given.value ->> 'revision'
FROM json_each(:counts) AS given
WHERE run_steps.run_id = (given.value ->> 'run_id') AND run_steps.number = (given.value ->> 'number')
RETURNING
    run_steps.run_id, run_steps.number, run_steps.name, run_steps.state, run_steps.total, run_steps.waiting,
    run_steps.next_index, run_steps.done, run_steps.failed, run_steps.bytes

-- name: count_items (postgresql)
UPDATE run_steps SET
    done = run_steps.done + given.done, failed = run_steps.failed + given.failed,
    bytes = run_steps.bytes + given.bytes, revision = given.revision
FROM json_to_recordset(CAST(:counts AS JSON)) AS given (
    run_id TEXT, number INTEGER, done INTEGER, failed INTEGER, bytes BIGINT, revision BIGINT
)
WHERE run_steps.run_id = given.run_id AND run_steps.number = given.number
RETURNING
    run_steps.run_id, run_steps.number, run_steps.name, run_steps.state, run_steps.total, run_steps.waiting,
    run_steps.next_index, run_steps.done, run_steps.failed, run_steps.bytes

-- name: waiting_items
SELECT idx FROM run_items
WHERE run_id = :run_id AND number = :number AND idx >= :next_index AND state = 'waiting'
ORDER BY idx
LIMIT :limit

-- name: begin_items (sqlite)
-- Run and number are given with each, so that each is found by its key.
UPDATE run_items SET state = 'running', job_id = given.value ->> 3
FROM json_each(:begun) AS given
WHERE run_id = (given.value ->> 0) AND number = (given.value ->> 1) AND idx = (given.value ->> 2)
    AND state = 'waiting'

-- name: begin_items (postgresql)
UPDATE run_items SET state = 'running', job_id = given.value ->> 3
FROM jsonb_array_elements(CAST(:begun AS JSONB)) AS given (value)
WHERE run_id = (given.value ->> 0) AND number = CAST(given.value ->> 1 AS INTEGER)
    AND idx = CAST(given.value ->> 2 AS INTEGER) AND state = 'waiting'

-- name: count_begun
UPDATE run_steps SET waiting = waiting - CAST(:begun AS INTEGER), next_index = :next_index
WHERE run_id = :run_id AND number = :number

-- name: end_map (sqlite)
-- The results in the order of the items.
UPDATE run_steps SET
    state = 'succeeded', revision = :revision, finished_at = :now,
    output = '{"results":[' || (
        SELECT group_concat(output, ',') FROM (
            SELECT output FROM run_items WHERE run_id = :run_id AND number = :number ORDER BY idx
        )
    ) || ']}'
WHERE run_id = :run_id AND number = :number AND state = 'running'

-- name: end_map (postgresql)
UPDATE run_steps SET
    state = 'succeeded', revision = :revision, finished_at = :now,
    output = '{"results":[' || (
        SELECT string_agg(output, ',' ORDER BY idx) FROM run_items WHERE run_id = :run_id AND number = :number
    ) || ']}'
WHERE run_id = :run_id AND number = :number AND state = 'running'

-- name: first_failed_item
SELECT idx, error_code, error_message FROM run_items
WHERE run_id = :run_id AND number = :number AND state IN ('failed', 'cancelled')
ORDER BY idx
LIMIT 1

-- name: outputs (sqlite)
-- Of each step the last that succeeded.
SELECT
    given.value ->> 0 AS run_id, given.value ->> 1 AS name,
    (
        SELECT output FROM run_steps
        WHERE run_id = (given.value ->> 0) AND name = (given.value ->> 1) AND state = 'succeeded'
        ORDER BY number DESC LIMIT 1
    ) AS output
FROM json_each(:wanted) AS given

-- name: outputs (postgresql)
SELECT
    given.value ->> 0 AS run_id, given.value ->> 1 AS name,
    (
        SELECT output FROM run_steps
        WHERE run_id = (given.value ->> 0) AND name = (given.value ->> 1) AND state = 'succeeded'
        ORDER BY number DESC LIMIT 1
    ) AS output
FROM jsonb_array_elements(CAST(:wanted AS JSONB)) AS given (value)

-- name: inputs (sqlite)
SELECT id, input FROM runs WHERE id IN (SELECT value FROM json_each(:ids))

-- name: inputs (postgresql)
SELECT id, input FROM runs WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:ids AS JSONB))))

-- name: step_call [quick]
SELECT
    runs.state AS run_state, runs.slug, runs.version, runs.locale, runs.created_by, run_steps.name,
    run_steps.state, run_steps.tries
FROM runs JOIN run_steps ON run_steps.run_id = runs.id
WHERE runs.id = :run_id AND runs.team_id = :team_id AND run_steps.number = :number

-- name: item_call [quick]
SELECT
    runs.state AS run_state, runs.slug, runs.version, runs.locale, runs.created_by, run_steps.name,
    run_items.state, run_items.tries, run_items.item
FROM runs
JOIN run_steps ON run_steps.run_id = runs.id
JOIN run_items ON run_items.run_id = run_steps.run_id AND run_items.number = run_steps.number
WHERE runs.id = :run_id AND runs.team_id = :team_id AND run_steps.number = :number AND run_items.idx = :idx

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

-- name: item_calls (sqlite)
SELECT
    run_items.run_id, run_items.number, run_items.idx, runs.state AS run_state, runs.slug, runs.version,
    runs.locale, runs.created_by, run_steps.name, run_items.state, run_items.tries, run_items.item
FROM json_each(:calls) AS given
CROSS JOIN runs ON runs.id = (given.value ->> 0)
CROSS JOIN run_steps ON run_steps.run_id = runs.id AND run_steps.number = (given.value ->> 1)
CROSS JOIN run_items ON run_items.run_id = run_steps.run_id AND run_items.number = run_steps.number
    AND run_items.idx = (given.value ->> 2)
WHERE runs.team_id = :team_id

-- name: item_calls (postgresql)
-- Their runs and steps are read once for all items of a map.
WITH given AS MATERIALIZED (
    SELECT value ->> 0 AS run_id, CAST(value ->> 1 AS INTEGER) AS number, CAST(value ->> 2 AS INTEGER) AS idx
    FROM jsonb_array_elements(CAST(:calls AS JSONB)) AS one (value)
),
maps AS MATERIALIZED (
    SELECT
        run_steps.run_id, run_steps.number, run_steps.name, runs.state AS run_state, runs.slug, runs.version,
        runs.locale, runs.created_by
    FROM (SELECT DISTINCT given.run_id, given.number FROM given) AS places
    CROSS JOIN LATERAL (
        SELECT * FROM runs WHERE runs.id = places.run_id AND runs.team_id = :team_id OFFSET 0
    ) AS runs
    CROSS JOIN LATERAL (
        SELECT * FROM run_steps WHERE run_steps.run_id = runs.id AND run_steps.number = places.number OFFSET 0
    ) AS run_steps
)
SELECT
    given.run_id, given.number, given.idx, maps.run_state, maps.slug, maps.version, maps.locale, maps.created_by,
    maps.name, run_items.state, run_items.tries, run_items.item
FROM given
JOIN maps ON maps.run_id = given.run_id AND maps.number = given.number
CROSS JOIN LATERAL (
    SELECT state, tries, item FROM run_items
    WHERE run_items.run_id = given.run_id AND run_items.number = given.number AND run_items.idx = given.idx
    OFFSET 0
) AS run_items

-- name: count_step_try
-- Once for each attempt at its job.
UPDATE run_steps SET tries = tries + 1, tried_attempt = :attempt
WHERE run_id = :run_id AND number = :number AND state = 'running' AND tried_attempt < :attempt

-- name: count_item_try
UPDATE run_items SET tries = tries + 1, tried_attempt = :attempt
WHERE run_id = :run_id AND number = :number AND idx = :idx AND state = 'running' AND tried_attempt < :attempt

-- name: live_jobs
SELECT job_id, number, NULL AS idx FROM run_steps
WHERE run_id = :run_id AND state = 'running' AND job_id IS NOT NULL
UNION ALL
SELECT job_id, number, idx FROM run_items
WHERE run_id = :run_id AND state = 'running' AND job_id IS NOT NULL

-- name: cancel_maps
UPDATE run_steps SET state = 'cancelled', finished_at = :now, revision = :revision
WHERE run_id = :run_id AND state = 'running' AND kind = 'map'

-- name: last_step
SELECT number, name, kind, state, total FROM run_steps
WHERE run_id = :run_id
ORDER BY number DESC
LIMIT 1

-- name: map_row
SELECT number, name, state, total, waiting, next_index, done, failed, bytes FROM run_steps
WHERE run_id = :run_id AND number = :number

-- name: runs_by_state
SELECT state, COUNT(*) AS many FROM runs GROUP BY state
