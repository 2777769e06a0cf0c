-- name: devices [quick]
SELECT id, session_id, name, created_at FROM push_devices
WHERE user_id = :user_id AND org_id = :org_id
ORDER BY id DESC
LIMIT :limit

-- name: put_device [quick]
-- A browser that another person used before is theirs no longer.
INSERT INTO push_devices (
    id, org_id, user_id, session_id, endpoint, endpoint_hash, public_key, secret, name, created_at
)
VALUES (
    :id, :org_id, :user_id, :session_id, :endpoint, :endpoint_hash, :public_key, :secret, CAST(:name AS TEXT), :now
)
ON CONFLICT (endpoint_hash) DO UPDATE SET
    org_id = excluded.org_id, user_id = excluded.user_id, session_id = excluded.session_id,
    public_key = excluded.public_key, secret = excluded.secret, name = excluded.name,
    created_at = excluded.created_at
RETURNING id, session_id, name, created_at

-- name: drop_oldest [quick]
DELETE FROM push_devices
WHERE user_id = :user_id AND org_id = :org_id AND id <= (
    SELECT newer.id FROM push_devices AS newer
    WHERE newer.user_id = :user_id ORDER BY newer.id DESC LIMIT 1 OFFSET :most
)

-- name: delete_device [quick]
DELETE FROM push_devices WHERE id = :id AND user_id = :user_id AND org_id = :org_id RETURNING id

-- name: forget_device [quick]
DELETE FROM push_devices WHERE id = :id AND org_id = :org_id

-- name: devices_of [quick]
SELECT id, org_id, user_id FROM push_devices
WHERE user_id IN (
    SELECT value FROM json_each(:people) -- (sqlite)
    SELECT jsonb_array_elements_text(CAST(:people AS JSONB)) -- (postgresql)
)

-- name: write_down
INSERT INTO push_messages (device_id, notification_id, org_id, content, attempts, due_at)
VALUES (:device_id, :notification_id, :org_id, :content, 0, :now)
ON CONFLICT (device_id, notification_id) DO NOTHING

-- name: claim (sqlite)
UPDATE push_messages SET due_at = :until, attempts = attempts + 1
WHERE (device_id, notification_id) IN (
    SELECT device_id, notification_id FROM push_messages WHERE due_at <= :now ORDER BY due_at LIMIT :limit
)
RETURNING device_id, notification_id, org_id, content, attempts

-- name: claim (postgresql)
UPDATE push_messages SET due_at = :until, attempts = attempts + 1
WHERE (device_id, notification_id) IN (
    SELECT device_id, notification_id FROM push_messages WHERE due_at <= :now ORDER BY due_at LIMIT :limit
    FOR UPDATE SKIP LOCKED
)
RETURNING device_id, notification_id, org_id, content, attempts

-- name: device_to_tell [quick]
-- Where its person may still be told, and has not read it.
SELECT devices.id, devices.org_id, devices.endpoint, devices.public_key, devices.secret, people.locale
FROM push_devices AS devices
JOIN published_people AS people ON people.id = devices.user_id
JOIN published_notifications AS notifications
    ON notifications.id = :notification_id AND notifications.user_id = devices.user_id
WHERE devices.id = :device_id AND devices.org_id = :org_id
    AND people.suspended_at IS NULL AND people.removed_at IS NULL AND notifications.read_at IS NULL

-- name: delete_message [quick]
DELETE FROM push_messages
WHERE device_id = :device_id AND notification_id = :notification_id AND org_id = :org_id

-- name: put_off [quick]
UPDATE push_messages SET due_at = :due_at
WHERE device_id = :device_id AND notification_id = :notification_id AND org_id = :org_id
