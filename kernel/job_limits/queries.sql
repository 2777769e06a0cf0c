-- name: add_company
INSERT INTO job_companies (org_id) VALUES (:org_id)

-- name: set_suspended
UPDATE job_companies SET suspended_at = :at WHERE org_id = :org_id

-- name: hold_lanes
-- After the company's row is had: no claim is under way, and none walks past these from now on.
UPDATE job_lanes SET held = 1 WHERE org_id = :org_id AND active = 1 AND held = 0

-- name: release_lanes
UPDATE job_lanes SET held = 0
WHERE held = 1 AND org_id IN (
    SELECT org_id FROM job_companies WHERE org_id = :org_id AND suspended_at IS NULL
)

-- name: release_lanes_of_team
UPDATE job_lanes SET held = 0
WHERE held = 1 AND team_id = :team_id AND org_id IN (
    SELECT org_id FROM job_companies
    WHERE org_id = (SELECT org_id FROM teams WHERE id = :team_id) AND suspended_at IS NULL
)

-- name: set_company_cap
UPDATE job_companies SET cap = :cap WHERE org_id = :org_id

-- name: set_weight
UPDATE job_companies SET weight = :weight WHERE org_id = :org_id

-- name: wait_for_claims
-- Who claims for a company holds its row.
UPDATE job_companies SET cap = cap WHERE org_id = (SELECT org_id FROM teams WHERE id = :team_id)

-- name: set_team_cap
INSERT INTO job_teams (team_id, cap) VALUES (:team_id, :cap)
ON CONFLICT (team_id) DO UPDATE SET cap = excluded.cap

-- name: running
-- One that lends its place to another which runs does not count beside it.
SELECT
    COUNT(*) - COUNT(DISTINCT lending.id) AS org,
    COALESCE(SUM(CASE WHEN jobs.team_id = :team_id THEN 1 ELSE 0 END), 0)
        - COUNT(DISTINCT CASE WHEN jobs.team_id = :team_id THEN lending.id END) AS team
FROM jobs LEFT JOIN jobs AS lending ON lending.id = jobs.lender AND lending.state = 'running'
WHERE jobs.state = 'running' AND jobs.org_id = :org_id
