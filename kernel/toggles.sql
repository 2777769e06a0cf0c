-- name: switches_of_team [quick]
SELECT switches FROM teams WHERE id = :team_id

-- name: lock_switches (sqlite)
SELECT switches FROM teams WHERE id = :team_id

-- name: lock_switches (postgresql)
-- Two who switch at once: the second sees what the first did.
SELECT switches FROM teams WHERE id = :team_id FOR NO KEY UPDATE

-- name: set_switches
UPDATE teams SET switches = :switches WHERE id = :team_id

-- name: toggles_of_team
SELECT name, enabled FROM team_toggles WHERE team_id = :team_id AND kind = :kind

-- name: toggle [quick]
SELECT enabled FROM team_toggles WHERE team_id = :team_id AND kind = :kind AND name = :name

-- name: set_toggle
INSERT INTO team_toggles (team_id, kind, name, enabled, changed_at)
VALUES (:team_id, :kind, :name, :enabled, :now)
ON CONFLICT (team_id, kind, name) DO UPDATE SET enabled = excluded.enabled, changed_at = excluded.changed_at
