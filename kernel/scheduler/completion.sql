-- name: extend (sqlite)
-- Its own process runs a job still where nobody has taken it away: then a lease that is over may go on.
UPDATE jobs SET
    lease_until = :now + :lease_ms, progress = COALESCE(CAST(given.value ->> 2 AS REAL), progress)
FROM json_each(:jobs) AS given
WHERE jobs.id = (given.value ->> 0) AND claim_token = (given.value ->> 1)
    AND state = 'running' AND (lease_until > :now OR :own = 1)
RETURNING jobs.id, jobs.lease_until

-- name: extend (postgresql)
UPDATE jobs SET
    lease_until = :now + CAST(:lease_ms AS BIGINT),
    progress = COALESCE(CAST(given.pair ->> 2 AS DOUBLE PRECISION), progress)
FROM (
    SELECT pair, 'running' AS state FROM jsonb_array_elements(CAST(:jobs AS JSONB)) AS every (pair) OFFSET 0
) AS given
WHERE jobs.id = ANY (ARRAY[given.pair ->> 0]) AND claim_token = ANY (ARRAY[given.pair ->> 1])
    AND jobs.state = ANY (ARRAY[given.state]) AND (lease_until > :now OR CAST(:own AS INTEGER) = 1)
RETURNING jobs.id, jobs.lease_until

-- name: complete (sqlite)
UPDATE jobs SET
    state = 'succeeded', finished_at = :wall, landed = 'complete', lease_until = NULL, lapses = 0, progress = 1,
    result = given.value ->> 2, error_code = NULL, error_message = NULL
FROM json_each(:ends) AS given
WHERE jobs.id = (given.value ->> 0) AND claim_token = (given.value ->> 1)
    AND state = 'running' AND lease_until > :now
RETURNING
    jobs.id, jobs.kind, jobs.state, jobs.org_id, jobs.team_id, jobs.reservation, jobs.asked_with, jobs.scope, jobs.depth

-- name: complete (postgresql)
UPDATE jobs SET
    state = 'succeeded', finished_at = :wall, landed = 'complete', lease_until = NULL, lapses = 0, progress = 1,
    result = given.value ->> 2, error_code = NULL, error_message = NULL
FROM (
    SELECT value, 'running' AS state FROM jsonb_array_elements(CAST(:ends AS JSONB)) AS every (value) OFFSET 0
) AS given
WHERE jobs.id = ANY (ARRAY[given.value ->> 0]) AND claim_token = ANY (ARRAY[given.value ->> 1])
    AND jobs.state = ANY (ARRAY[given.state]) AND lease_until > :now
RETURNING
    jobs.id, jobs.kind, jobs.state, jobs.org_id, jobs.team_id, jobs.reservation, jobs.asked_with, jobs.scope, jobs.depth

-- name: end_otherwise (sqlite)
-- It failed, was stopped, or is put off as somebody said "too many requests": then it is as if it had not been tried,
-- and not before `run_at`; not for ever.
UPDATE jobs SET
    state = CASE
        WHEN given.value ->> 'verb' = 'stop' THEN 'cancelled'
        WHEN given.value ->> 'verb' = 'fail' AND (given.value ->> 'retry' = 0 OR attempt >= max_attempts) THEN 'failed'
        WHEN given.value ->> 'verb' = 'put_off' AND put_off_ms >= (given.value ->> 'max_ms') THEN 'failed'
        WHEN cancel_requested = 1 THEN 'cancelled'
        ELSE 'scheduled'
    END,
    finished_at = CASE
        WHEN cancel_requested = 1 OR given.value ->> 'verb' = 'stop' THEN :wall
        WHEN given.value ->> 'verb' = 'fail' AND (given.value ->> 'retry' = 0 OR attempt >= max_attempts) THEN :wall
        WHEN given.value ->> 'verb' = 'put_off' AND put_off_ms >= (given.value ->> 'max_ms') THEN :wall
    END,
    attempt = CASE
        WHEN given.value ->> 'verb' = 'put_off' AND put_off_ms < (given.value ->> 'max_ms') THEN attempt - 1
        ELSE attempt
    END,
    landed = given.value ->> 'verb', lease_until = NULL, lapses = 0, result = given.value ->> 'result',
    error_code = given.value ->> 'code', error_message = given.value ->> 'message',
    run_at = :wall + CASE
        WHEN given.value ->> 'verb' = 'put_off'
            THEN MIN(given.value ->> 'wait_ms', (given.value ->> 'max_ms') - put_off_ms)
        ELSE given.value ->> 'wait_ms'
    END,
    put_off_ms = put_off_ms + CASE
        WHEN given.value ->> 'verb' = 'put_off'
            THEN MIN(given.value ->> 'wait_ms', (given.value ->> 'max_ms') - put_off_ms)
        ELSE 0
    END
FROM json_each(:ends) AS given
WHERE jobs.id = (given.value ->> 'id') AND claim_token = (given.value ->> 'token')
    AND state = 'running' AND lease_until > :now
RETURNING
    jobs.id, jobs.kind, jobs.state, jobs.org_id, jobs.team_id, jobs.reservation, jobs.asked_with, jobs.scope

-- name: end_otherwise (postgresql)
UPDATE jobs SET
    state = CASE
        WHEN given.verb = 'stop' THEN 'cancelled'
        WHEN given.verb = 'fail' AND (given.retry = 0 OR attempt >= max_attempts) THEN 'failed'
        WHEN given.verb = 'put_off' AND put_off_ms >= given.max_ms THEN 'failed'
        WHEN cancel_requested = 1 THEN 'cancelled'
        ELSE 'scheduled'
    END,
    finished_at = CASE
        WHEN cancel_requested = 1 OR given.verb = 'stop' THEN :wall
        WHEN given.verb = 'fail' AND (given.retry = 0 OR attempt >= max_attempts) THEN :wall
        WHEN given.verb = 'put_off' AND put_off_ms >= given.max_ms THEN :wall
    END,
    attempt = CASE WHEN given.verb = 'put_off' AND put_off_ms < given.max_ms THEN attempt - 1 ELSE attempt END,
    landed = given.verb, lease_until = NULL, lapses = 0, result = given.result,
    error_code = given.code, error_message = given.message,
    run_at = :wall + CASE
        WHEN given.verb = 'put_off' THEN LEAST(given.wait_ms, given.max_ms - put_off_ms) ELSE given.wait_ms
    END,
    put_off_ms = put_off_ms + CASE
        WHEN given.verb = 'put_off' THEN LEAST(given.wait_ms, given.max_ms - put_off_ms) ELSE 0
    END
FROM (
    SELECT *, 'running' AS state
    FROM jsonb_to_recordset(CAST(:ends AS JSONB)) AS every (
        id TEXT, token TEXT, verb TEXT, result TEXT, retry INTEGER, code TEXT, message TEXT, wait_ms BIGINT,
        max_ms BIGINT
    )
    OFFSET 0
) AS given
WHERE jobs.id = ANY (ARRAY[given.id]) AND claim_token = ANY (ARRAY[given.token])
    AND jobs.state = ANY (ARRAY[given.state]) AND lease_until > :now
RETURNING
    jobs.id, jobs.kind, jobs.state, jobs.org_id, jobs.team_id, jobs.reservation, jobs.asked_with, jobs.scope

-- name: retract
-- It succeeded in this very transaction, but its effect did not: it is its runner's again.
UPDATE jobs SET
    state = 'running', finished_at = NULL, landed = NULL, lease_until = :now + CAST(:lease_ms AS BIGINT),
    progress = NULL, result = NULL
WHERE id = :id AND claim_token = :token AND state = 'succeeded'

-- name: jobs_by_id (sqlite)
SELECT
    id, kind, state, payload, result, error_code, error_message, attempt, max_attempts, progress, worker,
    org_id, team_id, user_id, created_at, started_at, finished_at, asked_with, scope, within, depth, trace
FROM jobs WHERE id IN (SELECT value FROM json_each(:ids))

-- name: jobs_by_id (postgresql)
-- Each by its key: as a join it reads all jobs where these are few.
SELECT found.*
FROM jsonb_array_elements_text(CAST(:ids AS JSONB)) AS given (id)
CROSS JOIN LATERAL (
    SELECT
        id, kind, state, payload, result, error_code, error_message, attempt, max_attempts, progress, worker,
        org_id, team_id, user_id, created_at, started_at, finished_at, asked_with, scope, within, depth, trace
    FROM jobs WHERE jobs.id = given.id
    OFFSET 0
) AS found

-- name: ended_of (sqlite)
SELECT id FROM jobs
WHERE id IN (SELECT value FROM json_each(:ids)) AND state IN ('succeeded', 'failed', 'cancelled')

-- name: ended_of (postgresql)
SELECT jobs.id FROM jsonb_array_elements_text(CAST(:ids AS JSONB)) AS given (id) JOIN jobs ON jobs.id = given.id
WHERE state IN ('succeeded', 'failed', 'cancelled')

-- name: landed [quick]
SELECT id FROM jobs WHERE id = :id AND claim_token = :token AND landed = :verb

-- name: still_held
SELECT 1 FROM jobs WHERE id = :id AND claim_token = :token AND state = 'running' AND lease_until > :now

-- name: held_job [quick]
SELECT kind, held_by FROM jobs
WHERE id = :id AND (CAST(:org_id AS TEXT) IS NULL OR org_id = :org_id)
    AND (CAST(:team_id AS TEXT) IS NULL OR team_id = :team_id)

-- name: take_away (sqlite)
UPDATE jobs SET
    state = CASE
        WHEN stop_requested = 1 THEN 'cancelled'
        WHEN given.value ->> 'poisoned' = 1 OR attempt >= max_attempts THEN 'failed'
        WHEN cancel_requested = 1 THEN 'cancelled'
        WHEN given.value ->> 'wait_ms' = 0 THEN 'queued'
        ELSE 'scheduled'
    END,
    finished_at = CASE
        WHEN given.value ->> 'poisoned' = 1 OR attempt >= max_attempts OR cancel_requested = 1 THEN :wall
    END,
    lapses = given.value ->> 'lapses', claim_token = NULL, landed = NULL, lease_until = NULL, held_by = NULL,
    error_code = given.value ->> 'code', error_message = given.value ->> 'message',
    run_at = :wall + (given.value ->> 'wait_ms')
FROM json_each(:jobs) AS given
WHERE jobs.id = (given.value ->> 'id') AND state = 'running'
RETURNING
    jobs.id, jobs.kind, jobs.state, jobs.pool, jobs.org_id, jobs.team_id, jobs.reservation, jobs.requirement

-- name: take_away (postgresql)
UPDATE jobs SET
    state = CASE
        WHEN stop_requested = 1 THEN 'cancelled'
        WHEN given.poisoned = 1 OR attempt >= max_attempts THEN 'failed'
        WHEN cancel_requested = 1 THEN 'cancelled'
        WHEN given.wait_ms = 0 THEN 'queued'
        ELSE 'scheduled'
    END,
    finished_at = CASE
        WHEN given.poisoned = 1 OR attempt >= max_attempts OR cancel_requested = 1 THEN :wall
    END,
    lapses = given.lapses, claim_token = NULL, landed = NULL, lease_until = NULL, held_by = NULL,
    error_code = given.code, error_message = given.message, run_at = :wall + given.wait_ms
FROM (
    SELECT *, 'running' AS state
    FROM jsonb_to_recordset(CAST(:jobs AS JSONB)) AS every (
        id TEXT, poisoned INTEGER, lapses INTEGER, code TEXT, message TEXT, wait_ms BIGINT
    )
    OFFSET 0
) AS given
WHERE jobs.id = ANY (ARRAY[given.id]) AND jobs.state = ANY (ARRAY[given.state])
RETURNING
    jobs.id, jobs.kind, jobs.state, jobs.pool, jobs.org_id, jobs.team_id, jobs.reservation, jobs.requirement
