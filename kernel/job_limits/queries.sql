-- name: add_company
INSERT INTO job_companies (org_id) VALUES (:org_id)

-- name: set_suspended
UPDATE job_companies SET suspended_at = :at WHERE org_id = :org_id

-- name: set_company_cap
UPDATE job_companies SET cap = :cap WHERE org_id = :org_id

-- name: set_weight
UPDATE job_companies SET weight = :weight WHERE org_id = :org_id

-- name: wait_for_claims
-- Who claims for a company holds its row.
UPDATE job_companies SET cap = cap WHERE org_id = (SELECT org_id FROM teams WHERE id = :team_id) RETURNING org_id

-- name: set_team_cap
INSERT INTO job_teams (team_id, cap) VALUES (:team_id, :cap)
ON CONFLICT (team_id) DO UPDATE SET cap = excluded.cap

-- name: running
-- One that waits for others does not count.
SELECT COUNT(*) AS org, COALESCE(SUM(CASE WHEN team_id = :team_id THEN 1 ELSE 0 END), 0) AS team
FROM jobs WHERE state = 'running' AND org_id = :org_id AND waiting = 0
