-- name: columns [part]
webhooks.id, webhooks.org_id, webhooks.team_id, webhooks.url, webhooks.events, webhooks.filter, webhooks.ordered,
webhooks.enabled, webhooks.owner_id, people.display_name AS owner_name, webhooks.made_with, webhooks.scope,
webhooks.old_secret_until, webhooks.failures, webhooks.failing_since, webhooks.rest_until, webhooks.job_id,
webhooks.stopped_code, webhooks.stopped_message, webhooks.stopped_at, webhooks.created_at, webhooks.updated_at

-- name: webhook [quick]
SELECT
    -- use: columns
FROM webhooks LEFT JOIN published_people AS people ON people.id = webhooks.owner_id
WHERE webhooks.id = :id AND webhooks.team_id = :team_id

-- name: lock [quick]
SELECT id, job_id FROM webhooks WHERE id = :id AND team_id = :team_id
FOR UPDATE -- (postgresql)

-- name: webhooks_of_team
SELECT
    -- use: columns
FROM webhooks LEFT JOIN published_people AS people ON people.id = webhooks.owner_id
WHERE webhooks.team_id = :team_id AND webhooks.id < :before
ORDER BY webhooks.id DESC
LIMIT :limit

-- name: many_of_team [quick]
SELECT COUNT(*) AS many FROM webhooks WHERE team_id = :team_id

-- name: insert_webhook [quick]
INSERT INTO webhooks (
    id, org_id, team_id, url, events, filter, ordered, enabled, owner_id, made_with, scope, failures, failing_since,
    rest_until, stopped_code, stopped_message, stopped_at, created_at, updated_at
)
VALUES (
    :id, :org_id, :team_id, :url, :events, :filter, :ordered, :enabled, :owner_id, :made_with, :scope, :failures,
    :failing_since, :rest_until, :stopped_code, :stopped_message, :stopped_at, :created_at, :updated_at
)

-- name: update_webhook [quick]
UPDATE webhooks
SET url = :url, events = :events, filter = :filter, ordered = :ordered, enabled = :enabled, owner_id = :owner_id,
    made_with = :made_with, scope = :scope, failures = :failures, failing_since = :failing_since,
    rest_until = :rest_until, stopped_code = :stopped_code, stopped_message = :stopped_message,
    stopped_at = :stopped_at, updated_at = :updated_at
WHERE id = :id AND team_id = :team_id

-- name: delete_webhook [quick]
DELETE FROM webhooks WHERE id = :id AND team_id = :team_id

-- name: set_old_secret [quick]
UPDATE webhooks SET old_secret_until = :until, updated_at = :now WHERE id = :id AND team_id = :team_id

-- name: forget_events [quick]
DELETE FROM webhook_events WHERE webhook_id = :id

-- name: add_event [quick]
INSERT INTO webhook_events (team_id, event, webhook_id) VALUES (:team_id, :event, :id)

-- name: subscribed [quick]
-- The addresses of a team that want an event; asked in the transaction of whoever causes it.
SELECT webhook_id FROM webhook_events WHERE team_id = :team_id AND event = :event

-- name: every_subscribed
SELECT DISTINCT team_id, event FROM webhook_events

-- name: set_job [quick]
UPDATE webhooks SET job_id = CAST(:job_id AS TEXT) WHERE id = :id

-- name: by_job [quick]
SELECT
    -- use: columns
FROM webhooks LEFT JOIN published_people AS people ON people.id = webhooks.owner_id
WHERE webhooks.job_id = :job_id

-- name: end_rest [quick]
UPDATE webhooks SET rest_until = NULL WHERE id = :id

-- name: set_health [quick]
UPDATE webhooks SET failures = :failures, failing_since = :failing_since, rest_until = :rest_until WHERE id = :id

-- name: stop [quick]
UPDATE webhooks SET enabled = 0, stopped_code = :code, stopped_message = :message, stopped_at = :at WHERE id = :id

-- name: revive [quick]
UPDATE webhooks SET enabled = 1, stopped_code = NULL, stopped_message = NULL, stopped_at = NULL WHERE id = :id

-- name: add_delivery [quick]
-- An event comes to an address once, however often it is told of.
INSERT INTO webhook_deliveries (
    id, webhook_id, org_id, team_id, event_id, event, told_by, body, state, due_at, created_at
)
VALUES (
    :id, :webhook_id, :org_id, :team_id, :event_id, :event, :told_by, :body, 'waiting', :due_at, :created_at
)
ON CONFLICT DO NOTHING

-- name: waiting [quick]
SELECT COUNT(*) AS many FROM webhook_deliveries WHERE webhook_id = :id AND state = 'waiting'

-- name: due
-- What is to be sent by now, the oldest first.
SELECT id, event_id, event, body, attempts, first_at, created_at FROM webhook_deliveries
WHERE webhook_id = :id AND state = 'waiting' AND due_at <= :now
ORDER BY id
LIMIT :limit

-- name: oldest
-- Whatever happened first, be it due or not: nothing goes before it.
SELECT id, event_id, event, body, attempts, first_at, created_at, due_at, told_by FROM webhook_deliveries
WHERE webhook_id = :id AND state = 'waiting'
ORDER BY event_id
LIMIT :limit

-- name: earlier_untold [quick]
-- Whether events of the team are still being told of by jobs as old as one, or older.
SELECT id FROM published_jobs
WHERE team_id = :team_id AND kind = :kind AND state IN ('scheduled', 'queued', 'running') AND id < :before
LIMIT 1

-- name: next_due [quick]
SELECT MIN(due_at) AS due_at FROM webhook_deliveries WHERE webhook_id = :id AND state = 'waiting'

-- name: oldest_due [quick]
SELECT due_at FROM webhook_deliveries WHERE webhook_id = :id AND state = 'waiting' ORDER BY event_id LIMIT 1

-- name: record [quick]
-- What became of an attempt.
UPDATE webhook_deliveries
SET state = :state, attempts = :attempts, due_at = CAST(:due_at AS BIGINT), first_at = COALESCE(first_at, :at),
    last_at = :at, duration_ms = :duration_ms, response_status = CAST(:status AS INTEGER),
    response_body = CAST(:response AS TEXT), error = CAST(:error AS TEXT), finished_at = CAST(:finished_at AS BIGINT)
WHERE id = :id AND webhook_id = :webhook_id

-- name: skip [quick]
UPDATE webhook_deliveries SET state = 'skipped', due_at = NULL, error = :error, finished_at = :now
WHERE id = :id AND webhook_id = :webhook_id

-- name: wake [quick]
-- Whoever answers again is sent what waits, without waiting any longer.
UPDATE webhook_deliveries SET due_at = :now WHERE webhook_id = :id AND state = 'waiting' AND due_at > :now

-- name: deliveries
SELECT
    id, event, event_id, state, attempts, body, response_status, response_body, error, duration_ms, due_at, last_at,
    created_at, finished_at
FROM webhook_deliveries
WHERE webhook_id = :webhook_id AND team_id = :team_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: delivery [quick]
SELECT
    id, event, event_id, state, attempts, body, response_status, response_body, error, duration_ms, due_at, last_at,
    created_at, finished_at
FROM webhook_deliveries
WHERE id = :id AND webhook_id = :webhook_id AND team_id = :team_id

-- name: send_again [quick]
-- It begins anew: a day passes again before it is given up.
UPDATE webhook_deliveries SET state = 'waiting', attempts = 0, first_at = NULL, due_at = :now, finished_at = NULL
WHERE id = :id AND webhook_id = :webhook_id AND team_id = :team_id

-- name: unplanned
-- What has something to send and no job that does it.
SELECT
    -- use: columns
FROM webhooks LEFT JOIN published_people AS people ON people.id = webhooks.owner_id
WHERE webhooks.id > :after AND webhooks.enabled = 1 AND webhooks.stopped_code IS NULL
    AND EXISTS (
        SELECT 1 FROM webhook_deliveries AS waiting
        WHERE waiting.webhook_id = webhooks.id AND waiting.state = 'waiting'
    )
    AND NOT EXISTS (
        SELECT 1 FROM published_jobs AS jobs
        WHERE jobs.id = webhooks.job_id AND jobs.state IN ('scheduled', 'queued', 'running')
    )
ORDER BY webhooks.id
LIMIT :limit

-- name: resting_of
-- What has stopped since somebody was suspended.
SELECT id FROM webhooks WHERE team_id = :team_id AND owner_id = :user_id AND stopped_code = 'person_suspended'

-- name: count_finished
SELECT COUNT(*) AS many FROM webhook_deliveries WHERE finished_at < :before

-- name: delete_finished
DELETE FROM webhook_deliveries WHERE id IN (
    SELECT id FROM webhook_deliveries WHERE finished_at < :before ORDER BY finished_at LIMIT :limit
)
RETURNING id

-- name: held_by_team
SELECT id FROM webhooks WHERE team_id = :team_id LIMIT 1

-- name: all_of_team
SELECT id, job_id FROM webhooks WHERE team_id = :team_id ORDER BY id

-- name: move_webhooks
UPDATE webhooks SET team_id = :target, job_id = NULL WHERE team_id = :source

-- name: move_events
UPDATE webhook_events SET team_id = :target WHERE team_id = :source

-- name: move_deliveries
UPDATE webhook_deliveries SET team_id = :target WHERE team_id = :source
