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
WHERE jsonb_typeof(given.value) = 'array' AND run_items.run_id = (given.value ->> 0)
    AND run_items.number = CAST(given.value ->> 1 AS INTEGER)
    AND run_items.idx = CAST(given.value ->> 2 AS INTEGER)
    AND CASE WHEN run_items.state = 'running' THEN TRUE ELSE FALSE END
RETURNING run_items.run_id, run_items.number, run_items.idx

-- name: count_items (sqlite)
UPDATE run_steps SET
    revision = given.value ->> 2, done = done + (given.value ->> 3), failed = failed + (given.value ->> 4),
    bytes = bytes + (given.value ->> 5), cancelled = cancelled + (given.value ->> 6)
FROM json_each(:counts) AS given
WHERE run_steps.run_id = (given.value ->> 0) AND run_steps.number = (given.value ->> 1)
RETURNING
    run_steps.run_id, run_steps.number, run_steps.name, run_steps.state, run_steps.total, run_steps.waiting,
    run_steps.next_index, run_steps.done, run_steps.failed, run_steps.cancelled, run_steps.bytes,
    run_steps.parent, run_steps.branch

-- name: count_items (postgresql)
UPDATE run_steps SET
    revision = CAST(given.value ->> 2 AS BIGINT), done = done + CAST(given.value ->> 3 AS INTEGER),
    failed = failed + CAST(given.value ->> 4 AS INTEGER), bytes = bytes + CAST(given.value ->> 5 AS BIGINT),
    cancelled = cancelled + CAST(given.value ->> 6 AS INTEGER)
FROM jsonb_array_elements(CAST(:counts AS JSONB)) AS given (value)
WHERE jsonb_typeof(given.value) = 'array' AND run_steps.run_id = (given.value ->> 0)
    AND run_steps.number = CAST(given.value ->> 1 AS INTEGER)
RETURNING
    run_steps.run_id, run_steps.number, run_steps.name, run_steps.state, run_steps.total, run_steps.waiting,
    run_steps.next_index, run_steps.done, run_steps.failed, run_steps.cancelled, run_steps.bytes,
    run_steps.parent, run_steps.branch

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
WHERE jsonb_typeof(given.value) = 'array' AND run_id = (given.value ->> 0)
    AND number = CAST(given.value ->> 1 AS INTEGER) AND idx = CAST(given.value ->> 2 AS INTEGER)
    AND CASE WHEN state = 'waiting' THEN TRUE ELSE FALSE END

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
WHERE run_id = :run_id AND number = :number AND state = 'failed'
ORDER BY idx
LIMIT 1

-- name: item_call [quick]
SELECT
    runs.state AS run_state, runs.slug, runs.version, runs.locale, runs.created_by, run_steps.name,
    run_items.state, run_items.tries, run_items.item
FROM runs
JOIN run_steps ON run_steps.run_id = runs.id
JOIN run_items ON run_items.run_id = run_steps.run_id AND run_items.number = run_steps.number
WHERE runs.id = :run_id AND runs.team_id = :team_id AND run_steps.number = :number AND run_items.idx = :idx

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

-- name: count_item_try
UPDATE run_items SET tries = tries + 1, tried_attempt = :attempt
WHERE run_id = :run_id AND number = :number AND idx = :idx AND state = 'running' AND tried_attempt < :attempt

-- name: cancel_without_job
-- Maps and branches, and what waits: they have no job that would be cancelled.
UPDATE run_steps SET
    state = 'cancelled', finished_at = :now, revision = :revision, cancelled = cancelled + COALESCE(waiting, 0)
WHERE run_id = :run_id AND (state = 'waiting' OR (state = 'running' AND kind IN ('map', 'parallel')))

-- name: map_row
SELECT number, name, state, total, waiting, next_index, done, failed, cancelled, bytes, parent, branch
FROM run_steps
WHERE run_id = :run_id AND number = :number
