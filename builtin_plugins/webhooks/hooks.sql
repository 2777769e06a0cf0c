-- name: columns [part]
hooks_in.id, hooks_in.org_id, hooks_in.team_id, hooks_in.workflow_slug, hooks_in.scheme, hooks_in.schema,
hooks_in.wait_seconds, hooks_in.enabled, hooks_in.owner_id, people.display_name AS owner_name, hooks_in.made_with,
hooks_in.scope, hooks_in.last_at, hooks_in.stopped_code, hooks_in.stopped_message, hooks_in.stopped_at,
hooks_in.created_at, hooks_in.updated_at

-- name: hook [quick]
SELECT
    -- use: columns
FROM hooks_in LEFT JOIN published_people AS people ON people.id = hooks_in.owner_id
WHERE hooks_in.id = :id AND hooks_in.team_id = :team_id

-- name: by_address [quick]
-- Whoever calls an address says of which team it is.
SELECT
    -- use: columns
FROM hooks_in LEFT JOIN published_people AS people ON people.id = hooks_in.owner_id
WHERE hooks_in.id = :id

-- name: hooks_of_team
SELECT
    -- use: columns
FROM hooks_in LEFT JOIN published_people AS people ON people.id = hooks_in.owner_id
WHERE hooks_in.team_id = :team_id AND hooks_in.id < :before
ORDER BY hooks_in.id DESC
LIMIT :limit

-- name: many_of_team [quick]
SELECT COUNT(*) AS many FROM hooks_in WHERE team_id = :team_id

-- name: insert_hook [quick]
INSERT INTO hooks_in (
    id, org_id, team_id, workflow_slug, scheme, schema, wait_seconds, enabled, owner_id, made_with, scope,
    stopped_code, stopped_message, stopped_at, created_at, updated_at
)
VALUES (
    :id, :org_id, :team_id, :workflow_slug, :scheme, :schema, :wait_seconds, :enabled, :owner_id, :made_with, :scope,
    :stopped_code, :stopped_message, :stopped_at, :created_at, :updated_at
)

-- name: update_hook [quick]
UPDATE hooks_in
SET workflow_slug = :workflow_slug, scheme = :scheme, schema = CAST(:schema AS TEXT), wait_seconds = :wait_seconds,
    enabled = :enabled, owner_id = :owner_id, made_with = :made_with, scope = :scope, stopped_code = :stopped_code,
    stopped_message = :stopped_message, stopped_at = :stopped_at, updated_at = :updated_at
WHERE id = :id AND team_id = :team_id

-- name: delete_hook [quick]
DELETE FROM hooks_in WHERE id = :id AND team_id = :team_id

-- name: stop [quick]
UPDATE hooks_in SET stopped_code = :code, stopped_message = :message, stopped_at = :at WHERE id = :id

-- name: revive_of
-- What has stopped since somebody was suspended.
UPDATE hooks_in SET stopped_code = NULL, stopped_message = NULL, stopped_at = NULL
WHERE team_id = :team_id AND owner_id = :user_id AND stopped_code = 'person_suspended'

-- name: touch [quick]
UPDATE hooks_in SET last_at = :now WHERE id = :id

-- name: add_delivery [quick]
-- A repeat of the sender's id changes nothing.
INSERT INTO hook_in_deliveries (
    id, hook_id, org_id, team_id, delivery_key, state, body, run_id, replay_of, error, created_at
)
VALUES (
    :id, :hook_id, :org_id, :team_id, :delivery_key, :state, :body, :run_id, :replay_of, :error, :created_at
)
ON CONFLICT DO NOTHING
RETURNING id

-- name: set_run [quick]
UPDATE hook_in_deliveries SET run_id = :run_id WHERE id = :id

-- name: by_key [quick]
SELECT id, run_id FROM hook_in_deliveries WHERE hook_id = :hook_id AND delivery_key = :delivery_key

-- name: deliveries
-- Of a long body its beginning.
SELECT
    id, delivery_key, state, run_id, replay_of, error, LENGTH(body) AS size, SUBSTR(body, 1, 4096) AS body, created_at
FROM hook_in_deliveries
WHERE hook_id = :hook_id AND team_id = :team_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: delivery
SELECT id, delivery_key, state, run_id, replay_of, error, LENGTH(body) AS size, body, created_at
FROM hook_in_deliveries
WHERE id = :id AND hook_id = :hook_id AND team_id = :team_id

-- name: count_old
SELECT COUNT(*) AS many FROM hook_in_deliveries WHERE created_at < :before

-- name: delete_old
DELETE FROM hook_in_deliveries WHERE id IN (
    SELECT id FROM hook_in_deliveries WHERE created_at < :before ORDER BY created_at LIMIT :limit
)
RETURNING id

-- name: held_by_team
SELECT id FROM hooks_in WHERE team_id = :team_id LIMIT 1

-- name: move_hooks
UPDATE hooks_in SET team_id = :target WHERE team_id = :source AND org_id = :org_id

-- name: move_deliveries
UPDATE hook_in_deliveries SET team_id = :target WHERE team_id = :source AND org_id = :org_id
