-- name: lanes_to_look_at
-- On from where the look before ended, in the order in which claims walk.
SELECT pool, vtime, team_id, org_id FROM job_lanes
WHERE active = 1 AND held = 0 AND requirement >= '' AND (pool, vtime, team_id) > (:pool, :vtime, :team_id)
ORDER BY pool, vtime, team_id
LIMIT :max_rows

-- name: held_lanes
SELECT org_id, team_id, pool FROM job_lanes
WHERE held = 1 AND (org_id, team_id, pool) > (:org_id, :team_id, :pool)
ORDER BY org_id, team_id, pool
LIMIT :max_rows

-- name: any_held [quick]
SELECT 1 FROM job_lanes WHERE held = 1 LIMIT 1

-- name: companies_held
-- Nobody claims for them, suspends or resumes them, or changes what they may have, while their rows are held.
SELECT org_id FROM job_companies
WHERE org_id IN (SELECT key FROM json_each(:companies))
ORDER BY org_id
FOR NO KEY UPDATE SKIP LOCKED -- (postgresql)

-- name: suspended_of
SELECT org_id FROM job_companies
WHERE org_id IN (SELECT key FROM json_each(:companies)) AND suspended_at IS NOT NULL

-- name: teams_with_borrowers
-- Those of which a job may run in the place of another, with room or without.
SELECT given.key AS team_id FROM json_each(:teams) AS given
WHERE EXISTS (SELECT 1 FROM jobs WHERE state = 'queued' AND lender IS NOT NULL AND team_id = given.key LIMIT 1 OFFSET 0)

-- name: hold_lanes
UPDATE job_lanes SET held = 1
WHERE active = 1 AND held = 0 AND (pool, team_id) IN (
    SELECT pool, team_id FROM job_lanes
    WHERE active = 1 AND held = 0 AND org_id IN (SELECT key FROM json_each(:companies))
        AND team_id IN (SELECT key FROM json_each(:teams))
    ORDER BY pool, team_id
    FOR NO KEY UPDATE SKIP LOCKED -- (postgresql)
)
RETURNING team_id, org_id

-- name: release_lanes
UPDATE job_lanes SET held = 0
WHERE held = 1 AND (pool, team_id) IN (
    SELECT pool, team_id FROM job_lanes
    WHERE held = 1 AND team_id IN (SELECT key FROM json_each(:teams)) AND org_id IN (
        SELECT org_id FROM job_companies
        WHERE org_id IN (SELECT key FROM json_each(:companies)) AND suspended_at IS NULL
    )
    ORDER BY pool, team_id
    FOR NO KEY UPDATE SKIP LOCKED -- (postgresql)
)
RETURNING team_id

-- name: release_companies
-- Where all teams of a company share what it may run.
UPDATE job_lanes SET held = 0
WHERE held = 1 AND (pool, team_id) IN (
    SELECT pool, team_id FROM job_lanes
    WHERE held = 1 AND org_id IN (
        SELECT org_id FROM job_companies
        WHERE org_id IN (SELECT key FROM json_each(:companies)) AND cap IS NOT NULL AND suspended_at IS NULL
    )
    ORDER BY pool, team_id
    FOR NO KEY UPDATE SKIP LOCKED -- (postgresql)
)
RETURNING team_id
