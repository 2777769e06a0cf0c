-- name: granted
SELECT capability FROM oop_grants WHERE plugin_id = :plugin_id ORDER BY capability

-- name: all_granted
SELECT plugin_id, capability FROM oop_grants ORDER BY plugin_id, capability

-- name: grant_capability
INSERT INTO oop_grants (plugin_id, capability, granted_by, granted_at)
VALUES (:plugin_id, :capability, :user_id, :now)
ON CONFLICT (plugin_id, capability) DO NOTHING

-- name: revoke_capability
DELETE FROM oop_grants WHERE plugin_id = :plugin_id AND capability = :capability
