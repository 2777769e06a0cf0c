-- name: columns [part]
notifications.id, notifications.kind, notifications.params, notifications.link, notifications.team_id,
teams.name AS team_name, notifications.created_at, notifications.read_at

-- name: visible [part]
-- A session sees those of all teams of its person, any other credential those of its own team.
notifications.user_id = :user_id AND notifications.org_id = :org_id
AND (CAST(:every_team AS INTEGER) = 1 OR notifications.team_id IS NULL OR notifications.team_id = :team_id)

-- name: page [quick]
SELECT
    -- use: columns
FROM notifications LEFT JOIN published_teams AS teams ON teams.id = notifications.team_id
WHERE
    -- use: visible
    AND notifications.id < :before
ORDER BY notifications.id DESC
LIMIT :limit

-- name: unread_page [quick]
SELECT
    -- use: columns
FROM notifications LEFT JOIN published_teams AS teams ON teams.id = notifications.team_id
WHERE
    -- use: visible
    AND notifications.read_at IS NULL AND notifications.id < :before
ORDER BY notifications.id DESC
LIMIT :limit

-- name: after [quick]
SELECT
    -- use: columns
FROM notifications LEFT JOIN published_teams AS teams ON teams.id = notifications.team_id
WHERE
    -- use: visible
    AND notifications.id > :after
ORDER BY notifications.id
LIMIT :limit

-- name: unread [quick]
SELECT COUNT(*) FROM notifications
WHERE
    -- use: visible
    AND notifications.read_at IS NULL

-- name: read_all
UPDATE notifications SET read_at = :now
WHERE
    -- use: visible
    AND notifications.read_at IS NULL

-- name: read_some
UPDATE notifications SET read_at = :now
WHERE
    -- use: visible
    AND notifications.read_at IS NULL
    AND notifications.id IN (
        SELECT value FROM json_each(:ids) -- (sqlite)
        SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)) -- (postgresql)
    )

-- name: told [quick]
-- Whoever of these is of the company, with what they chose.
WITH wanted (user_id) AS (
    SELECT value FROM json_each(:people) -- (sqlite)
    SELECT jsonb_array_elements_text(CAST(:people AS JSONB)) -- (postgresql)
    UNION
    SELECT user_id FROM published_memberships
    WHERE team_id = CAST(:team_id AS TEXT) AND role IN (
        SELECT value FROM json_each(:roles) -- (sqlite)
        SELECT jsonb_array_elements_text(CAST(:roles AS JSONB)) -- (postgresql)
    )
)
SELECT people.id AS user_id, memberships.team_id, settings.mail, settings.push
FROM wanted
JOIN published_people AS people ON people.id = wanted.user_id AND people.org_id = :org_id
LEFT JOIN published_memberships AS memberships
    ON memberships.user_id = people.id AND memberships.team_id = CAST(:team_id AS TEXT)
LEFT JOIN notification_settings AS settings ON settings.user_id = people.id AND settings.kind = :kind
WHERE people.id <> :by
    AND EXISTS (SELECT 1 FROM published_memberships AS anywhere WHERE anywhere.user_id = people.id)
ORDER BY people.id
LIMIT :limit

-- name: insert (sqlite) [quick]
INSERT INTO notifications (id, org_id, team_id, user_id, kind, params, link, once, created_at)
SELECT
    json_extract(made.value, '$.id'), :org_id, json_extract(made.value, '$.team_id'),
    json_extract(made.value, '$.user_id'), :kind, :params, :link, :once, :now
FROM json_each(:made) AS made
WHERE true
ON CONFLICT DO NOTHING
RETURNING id, user_id

-- name: insert (postgresql)
INSERT INTO notifications (id, org_id, team_id, user_id, kind, params, link, once, created_at)
SELECT
    made.id, :org_id, made.team_id, made.user_id, :kind, :params, :link, CAST(:once AS TEXT), CAST(:now AS BIGINT)
FROM jsonb_to_recordset(CAST(:made AS JSONB)) AS made (id TEXT, team_id TEXT, user_id TEXT)
ON CONFLICT DO NOTHING
RETURNING id, user_id

-- name: drop_oldest [quick]
-- What a person has beyond so many.
DELETE FROM notifications
WHERE user_id IN (
        SELECT value FROM json_each(:people) -- (sqlite)
        SELECT jsonb_array_elements_text(CAST(:people AS JSONB)) -- (postgresql)
    )
    AND id <= (
        SELECT newer.id FROM notifications AS newer
        WHERE newer.user_id = notifications.user_id ORDER BY newer.id DESC LIMIT 1 OFFSET :most
    )

-- name: settings_of [quick]
SELECT kind, mail, push FROM notification_settings WHERE user_id = :user_id AND org_id = :org_id

-- name: choose
INSERT INTO notification_settings (org_id, user_id, kind, mail, push)
VALUES (:org_id, :user_id, :kind, :mail, :push)
ON CONFLICT (user_id, kind) DO UPDATE SET mail = excluded.mail, push = excluded.push

-- name: count_old
SELECT COUNT(*) FROM notifications WHERE id < :before

-- name: delete_old
DELETE FROM notifications WHERE id IN (
    SELECT id FROM notifications WHERE id < :before ORDER BY id LIMIT :limit
)
RETURNING id

-- name: count_of_kind
SELECT
    (SELECT COUNT(*) FROM notifications WHERE kind = :kind)
    + (SELECT COUNT(*) FROM notification_settings WHERE kind = :kind)

-- name: drop_of_kind
DELETE FROM notifications WHERE kind = :kind

-- name: drop_choices
DELETE FROM notification_settings WHERE kind = :kind
