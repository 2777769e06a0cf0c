-- name: secrets_of_team [quick]
SELECT id, org_id, name, updated_at FROM team_secrets WHERE team_id = :team_id ORDER BY name

-- name: secret [quick]
SELECT id, org_id FROM team_secrets WHERE team_id = :team_id AND name = :name

-- name: put_secret [quick]
-- One that is there keeps its id.
INSERT INTO team_secrets (id, org_id, team_id, name, updated_at)
VALUES (:id, :org_id, :team_id, :name, :now)
ON CONFLICT (team_id, name) DO UPDATE SET updated_at = excluded.updated_at
RETURNING id

-- name: delete_secret [quick]
DELETE FROM team_secrets WHERE team_id = :team_id AND name = :name RETURNING id, org_id

-- name: many_of_team [quick]
SELECT COUNT(*) AS many FROM team_secrets WHERE team_id = :team_id

-- name: held_by_team
SELECT id FROM team_secrets WHERE team_id = :team_id LIMIT 1

-- name: move_secret
UPDATE team_secrets SET team_id = :target, name = :name WHERE id = :id AND team_id = :source
