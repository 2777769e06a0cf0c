-- name: lane [quick]
-- The lock keeps the lane from being closed before this transaction's jobs can be seen.
SELECT active FROM job_lanes WHERE pool = :pool AND team_id = :team_id AND requirement = :requirement
FOR KEY SHARE -- (postgresql)

-- name: open_lane [quick]
INSERT INTO job_lanes (pool, team_id, org_id, vtime, active) VALUES (:pool, :team_id, :org_id, 0, 1)
ON CONFLICT (pool, team_id, requirement) DO UPDATE SET active = 1

-- name: store_time [quick]
-- The lane of jobs that need nothing stays where it is when others are closed, and with it the team's time.
INSERT INTO job_lanes (pool, team_id, org_id, vtime, active) VALUES (:pool, :team_id, :org_id, 0, 0)
ON CONFLICT (pool, team_id, requirement) DO NOTHING

-- name: open_lane_for [quick]
INSERT INTO job_lanes (pool, team_id, org_id, vtime, active, requirement)
SELECT pool, team_id, org_id, vtime, 1, CAST(:requirement AS TEXT) FROM job_lanes
WHERE pool = :pool AND team_id = :team_id AND requirement = ''
ON CONFLICT (pool, team_id, requirement) DO UPDATE SET active = 1

-- name: blocked_lanes
SELECT org_id, team_id, pool FROM job_lanes
WHERE blocked_by IS NOT NULL AND (org_id, team_id, pool) > (:org_id, :team_id, :pool)
ORDER BY org_id, team_id, pool
LIMIT :max_rows

-- name: any_blocked [quick]
SELECT 1 FROM job_lanes WHERE blocked_by IS NOT NULL LIMIT 1

-- name: free_companies
-- As `lock_companies`; those for which somebody claims are passed over.
SELECT org_id FROM job_companies WHERE org_id IN (SELECT key FROM json_each(:companies)) ORDER BY org_id
FOR NO KEY UPDATE SKIP LOCKED -- (postgresql)

-- name: suspended_of
SELECT org_id FROM job_companies
WHERE org_id IN (SELECT key FROM json_each(:companies)) AND suspended_at IS NOT NULL

-- name: teams_with_awaited
-- Those of which a job waits that another job waits for.
SELECT team.id AS team_id FROM json_each(:teams) AS given
JOIN teams AS team ON team.id = given.key -- (sqlite)
JOIN teams AS team ON team.id = ANY (ARRAY[given.key]) -- (postgresql)
WHERE EXISTS (
    SELECT 1 FROM job_lanes AS lane
    WHERE lane.org_id = team.org_id AND lane.team_id = team.id AND lane.active = 1 AND EXISTS (
        SELECT 1 FROM jobs
        WHERE state = 'queued' AND pool = lane.pool AND team_id = team.id AND priority > 100
        LIMIT 1 OFFSET 0
    )
    LIMIT 1 OFFSET 0
)
