-- The table is made by migrations of the kernel, which kept it before this plugin did.

-- name: toggles_of_team
SELECT name, enabled FROM team_toggles WHERE team_id = :team_id AND kind = :kind

-- name: toggle [quick]
SELECT enabled FROM team_toggles WHERE team_id = :team_id AND kind = :kind AND name = :name

-- name: set_toggle
INSERT INTO team_toggles (team_id, kind, name, enabled, changed_at)
VALUES (:team_id, :kind, :name, :enabled, :now)
ON CONFLICT (team_id, kind, name) DO UPDATE SET enabled = excluded.enabled, changed_at = excluded.changed_at

-- name: count_tool_toggles
SELECT COUNT(*) AS many FROM team_toggles
WHERE kind = 'tool' AND name IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: drop_tool_toggles
DELETE FROM team_toggles
WHERE kind = 'tool' AND name IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)
