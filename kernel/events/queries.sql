-- name: record (sqlite)
INSERT INTO event_outbox (
    id, event_id, event, subscription, org_id, team_id, user_id, credential_id, scope, depth, payload, matches,
    created_at
)
SELECT
    value ->> 'id', value ->> 'event_id', value ->> 'event', value ->> 'subscription', value ->> 'org_id',
    value ->> 'team_id', value ->> 'user_id', value ->> 'credential_id', value ->> 'scope', value ->> 'depth',
    value ->> 'payload', value ->> 'matches', value ->> 'created_at'
FROM json_each(:deliveries) JOIN teams ON teams.id = (value ->> 'team_id') AND teams.org_id = (value ->> 'org_id')
RETURNING id

-- name: record (postgresql)
INSERT INTO event_outbox (
    id, event_id, event, subscription, org_id, team_id, user_id, credential_id, scope, depth, payload, matches,
    created_at
)
SELECT
    given.id, event_id, event, subscription, given.org_id, team_id, user_id, credential_id, scope, depth, payload,
    matches, given.created_at
FROM jsonb_to_recordset(CAST(:deliveries AS JSONB)) AS given (
    id TEXT, event_id TEXT, event TEXT, subscription TEXT, org_id TEXT, team_id TEXT, user_id TEXT,
    credential_id TEXT, scope TEXT, depth INTEGER, payload TEXT, matches TEXT, created_at BIGINT
) JOIN teams ON teams.id = given.team_id AND teams.org_id = given.org_id
RETURNING id

-- name: waiting
-- From team to team by the index, however much each has waiting.
WITH RECURSIVE waiting (subscription, team_id) AS (
    SELECT given.value, (SELECT MIN(team_id) FROM event_outbox WHERE subscription = given.value)
    FROM json_each(:subscriptions) AS given -- (sqlite)
    FROM jsonb_array_elements_text(CAST(:subscriptions AS JSONB)) AS given (value) -- (postgresql)
    UNION ALL
    SELECT
        waiting.subscription,
        (
            SELECT MIN(team_id) FROM event_outbox
            WHERE subscription = waiting.subscription AND team_id > waiting.team_id
        )
    FROM waiting WHERE waiting.team_id IS NOT NULL
)
SELECT
    subscription, team_id,
    (
        SELECT COUNT(*) FROM jobs
        WHERE jobs.team_id = waiting.team_id AND kind = waiting.subscription
            AND state IN ('scheduled', 'queued')
    ) AS jobs,
    (SELECT switches FROM teams WHERE teams.id = waiting.team_id) AS switches
FROM waiting WHERE team_id IS NOT NULL

-- name: take (sqlite)
-- The oldest, as many as the team may still have as jobs of this subscription.
DELETE FROM event_outbox WHERE id IN (
    SELECT id FROM event_outbox
    WHERE subscription = :subscription AND team_id = :team_id
    ORDER BY id
    LIMIT MAX(0, MIN(
        :max_rows,
        :capacity - (
            SELECT COUNT(*) FROM jobs
            WHERE team_id = :team_id AND kind = :subscription
                AND state IN ('scheduled', 'queued')
        )
    ))
)
RETURNING *

-- name: take (postgresql)
-- Other processes may take as well: each skips what another is taking.
DELETE FROM event_outbox WHERE id IN (
    SELECT id FROM event_outbox
    WHERE subscription = :subscription AND team_id = :team_id
    ORDER BY id
    LIMIT GREATEST(0, LEAST(
        CAST(:max_rows AS BIGINT),
        CAST(:capacity AS BIGINT) - (
            SELECT COUNT(*) FROM jobs
            WHERE team_id = :team_id AND kind = :subscription
                AND state IN ('scheduled', 'queued')
        )
    ))
    FOR UPDATE SKIP LOCKED
)
RETURNING *

-- name: switches_of_teams (sqlite) [quick]
SELECT id, switches FROM teams WHERE switches IS NOT NULL AND id IN (SELECT value FROM json_each(:ids))

-- name: switches_of_teams (postgresql)
SELECT id, switches FROM teams
WHERE switches IS NOT NULL AND id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))

-- name: by_subscription
SELECT subscription, COUNT(*) AS many FROM event_outbox GROUP BY subscription ORDER BY subscription

-- name: forget_jobs (sqlite)
DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(:ids))

-- name: forget_jobs (postgresql)
DELETE FROM jobs WHERE id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))

-- name: ended_jobs (sqlite)
SELECT
    jobs.id, jobs.org_id, jobs.team_id, jobs.user_id, jobs.asked_with, jobs.kind, jobs.state, jobs.attempt,
    jobs.error_code, jobs.depth, jobs.scope
FROM jobs
WHERE jobs.id IN (SELECT value FROM json_each(:ids)) AND jobs.state IN ('succeeded', 'failed', 'cancelled')
ORDER BY jobs.id

-- name: ended_jobs (postgresql)
SELECT
    jobs.id, jobs.org_id, jobs.team_id, jobs.user_id, jobs.asked_with, jobs.kind, jobs.state, jobs.attempt,
    jobs.error_code, jobs.depth, jobs.scope
FROM jobs
WHERE jobs.id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))
    AND jobs.state IN ('succeeded', 'failed', 'cancelled')
ORDER BY jobs.id

-- name: error_codes (sqlite)
SELECT id, error_code FROM jobs WHERE id IN (SELECT value FROM json_each(:ids))

-- name: error_codes (postgresql)
SELECT id, error_code FROM jobs WHERE id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))
