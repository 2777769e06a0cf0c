-- name: rules_of_bucket [quick]
SELECT s3_cors.rules
FROM s3_cors
JOIN published_teams AS teams ON teams.id = s3_cors.team_id
WHERE teams.slug = :bucket

-- name: rules_of_team [quick]
SELECT rules FROM s3_cors WHERE team_id = :team_id AND org_id = :org_id

-- name: set_rules
INSERT INTO s3_cors (team_id, org_id, rules, updated_at)
VALUES (:team_id, :org_id, :rules, :now)
ON CONFLICT (team_id) DO UPDATE SET rules = excluded.rules, updated_at = excluded.updated_at

-- name: delete_rules
DELETE FROM s3_cors WHERE team_id = :team_id AND org_id = :org_id
RETURNING team_id
