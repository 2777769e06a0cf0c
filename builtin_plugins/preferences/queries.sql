-- The tables are made by migrations of the kernel, which kept them before this plugin did.

-- name: team_value [quick]
SELECT value, schema, version, updated_at, updated_by FROM team_preferences
WHERE team_id = :holder_id AND plugin = :plugin AND name = :name

-- name: team_overwrite
INSERT INTO team_preferences (team_id, plugin, name, value, schema, version, updated_at, updated_by)
VALUES (:holder_id, :plugin, :name, :value, :schema, 1, :now, :user_id)
ON CONFLICT (team_id, plugin, name) DO UPDATE SET value = excluded.value, schema = excluded.schema,
    version = team_preferences.version + 1, updated_at = excluded.updated_at, updated_by = excluded.updated_by
RETURNING version

-- name: team_insert
INSERT INTO team_preferences (team_id, plugin, name, value, schema, version, updated_at, updated_by)
VALUES (:holder_id, :plugin, :name, :value, :schema, 1, :now, :user_id)
ON CONFLICT (team_id, plugin, name) DO NOTHING
RETURNING version

-- name: team_update
UPDATE team_preferences SET value = :value, schema = :schema, version = version + 1, updated_at = :now,
    updated_by = :user_id
WHERE team_id = :holder_id AND plugin = :plugin AND name = :name AND version = :version
RETURNING version

-- name: company_value [quick]
SELECT value, schema, version, updated_at, updated_by FROM org_preferences
WHERE org_id = :holder_id AND plugin = :plugin AND name = :name

-- name: company_overwrite
INSERT INTO org_preferences (org_id, plugin, name, value, schema, version, updated_at, updated_by)
VALUES (:holder_id, :plugin, :name, :value, :schema, 1, :now, :user_id)
ON CONFLICT (org_id, plugin, name) DO UPDATE SET value = excluded.value, schema = excluded.schema,
    version = org_preferences.version + 1, updated_at = excluded.updated_at, updated_by = excluded.updated_by
RETURNING version

-- name: company_insert
INSERT INTO org_preferences (org_id, plugin, name, value, schema, version, updated_at, updated_by)
VALUES (:holder_id, :plugin, :name, :value, :schema, 1, :now, :user_id)
ON CONFLICT (org_id, plugin, name) DO NOTHING
RETURNING version

-- name: company_update
UPDATE org_preferences SET value = :value, schema = :schema, version = version + 1, updated_at = :now,
    updated_by = :user_id
WHERE org_id = :holder_id AND plugin = :plugin AND name = :name AND version = :version
RETURNING version

-- name: count_of_plugin
SELECT (SELECT COUNT(*) FROM team_preferences WHERE plugin = :plugin)
    + (SELECT COUNT(*) FROM org_preferences WHERE plugin = :plugin) AS preferences

-- name: drop_team_values
DELETE FROM team_preferences WHERE plugin = :plugin

-- name: drop_company_values
DELETE FROM org_preferences WHERE plugin = :plugin
