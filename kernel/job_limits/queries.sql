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

-- name: block_lanes (sqlite)
-- After the company's row is had: no claim is under way, and none walks past these from now on.
UPDATE job_lanes SET blocked_by = :by
WHERE active = 1 AND blocked_by IS NULL AND (pool, team_id) IN (
    SELECT pool, team_id FROM job_lanes
    WHERE active = 1 AND blocked_by IS NULL AND org_id IN (SELECT key FROM json_each(:companies))
        AND (CAST(:every_team AS INTEGER) = 1 OR team_id IN (SELECT key FROM json_each(:teams)))
)
RETURNING team_id, org_id

-- name: block_lanes (postgresql)
-- Each by its key: a join that can be hashed would have every lane read.
UPDATE job_lanes SET blocked_by = :by
FROM (
    SELECT lane.pool, lane.team_id, lane.requirement
    FROM json_each(:companies) AS company
    JOIN job_lanes AS lane ON lane.org_id = ANY (ARRAY[company.key])
    WHERE lane.active = 1 AND lane.blocked_by IS NULL
        AND (CAST(:every_team AS INTEGER) = 1 OR lane.team_id IN (SELECT key FROM json_each(:teams)))
    ORDER BY lane.pool, lane.team_id
    FOR NO KEY UPDATE OF lane SKIP LOCKED
) AS free
WHERE job_lanes.pool = ANY (ARRAY[free.pool]) AND job_lanes.team_id = ANY (ARRAY[free.team_id])
    AND job_lanes.requirement = ANY (ARRAY[free.requirement])
RETURNING job_lanes.team_id, job_lanes.org_id

-- name: unblock_lanes
UPDATE job_lanes SET blocked_by = NULL
WHERE blocked_by = :by AND (pool, team_id) IN (
    SELECT pool, team_id FROM job_lanes
    WHERE blocked_by = :by AND org_id IN (SELECT key FROM json_each(:companies)) AND (
        CAST(:every_team AS INTEGER) = 1 OR team_id IN (SELECT key FROM json_each(:teams))
        OR org_id IN (
            SELECT org_id FROM job_companies
            WHERE org_id IN (SELECT key FROM json_each(:companies)) AND cap IS NOT NULL
        )
    )
    ORDER BY pool, team_id
    FOR NO KEY UPDATE SKIP LOCKED -- (postgresql)
)
RETURNING team_id, org_id
