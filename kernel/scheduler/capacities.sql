-- name: lock_lanes
-- Who holds a company's row claims for it alone, and a suspension waits for them. The room that is seen here may
-- be gone by the time the lock is had: it is counted again, by a statement of its own. The OFFSET keeps the
-- planner of PostgreSQL from joining every waiting job where one look per lane will do, and the array from hashing
-- the companies, or reading all of them: then every lane would be read and sorted, and not the first ones alone.
-- A team with lanes of several requirements is met once, in the first of them. In further forms a condition stands
-- in the place of TRUE, and another in that of the one on requirements: see `statements.py`.
-- Jobs of a priority over 100 are those that others wait for.
SELECT
    lane.team_id, lane.org_id, company.weight,
    (SELECT MAX(vtime + 0) FROM job_lanes WHERE pool = :pool AND team_id = lane.team_id) AS vtime,
    (SELECT MAX(vtime) FROM job_lanes WHERE pool = :pool AND requirement = '') AS top,
    EXISTS (
        SELECT 1 FROM jobs WHERE state = 'queued' AND pool = :pool AND team_id = lane.team_id AND priority > 100
    ) AS awaited
FROM job_lanes AS lane INDEXED BY job_lanes_in_turn -- (sqlite)
FROM job_lanes AS lane -- (postgresql)
CROSS JOIN job_companies AS company ON company.org_id = lane.org_id -- (sqlite)
JOIN job_companies AS company ON company.org_id = ANY (ARRAY[lane.org_id]) -- (postgresql)
WHERE lane.pool = :pool AND lane.active = 1 AND lane.blocked_by IS NULL AND company.suspended_at IS NULL
    AND (CAST(:team_id AS TEXT) IS NULL OR lane.team_id = :team_id)
    AND lane.requirement >= '' AND (lane.requirement = '' OR lane.requirement = (
        SELECT MIN(requirement) FROM job_lanes
        WHERE pool = :pool AND team_id = lane.team_id AND active = 1 AND blocked_by IS NULL
    ))
    AND EXISTS (
        SELECT 1 FROM jobs
        WHERE state = 'queued' AND pool = :pool AND team_id = lane.team_id AND TRUE
        LIMIT 1 OFFSET 0
    )
    AND COALESCE((SELECT cap FROM job_teams WHERE team_id = lane.team_id), 1000000000) > (
        SELECT COUNT(*) FROM jobs
        WHERE state = 'running' AND org_id = lane.org_id AND team_id = lane.team_id AND waiting <> 1
    )
    AND COALESCE(company.cap, 1000000000) > (
        SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id AND waiting <> 1
    )
    AND (
        (
            :awaited_only = 0
            AND COALESCE((SELECT cap FROM job_teams WHERE team_id = lane.team_id), 1000000000) > (
                SELECT COUNT(*) FROM jobs
                WHERE state = 'running' AND org_id = lane.org_id AND team_id = lane.team_id AND priority <= 100
            )
            AND COALESCE(company.cap, 1000000000) > (
                SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id AND priority <= 100
            )
        )
        OR EXISTS (
            SELECT 1 FROM jobs
            WHERE state = 'queued' AND pool = :pool AND team_id = lane.team_id AND priority > 100 AND TRUE
            LIMIT 1 OFFSET 0
        )
    )
ORDER BY lane.vtime, lane.team_id
LIMIT :max_rows
FOR NO KEY UPDATE OF company SKIP LOCKED -- (postgresql)

-- name: needed [quick]
-- Of what is provided, that which jobs wait for.
SELECT given.key AS requirement FROM json_each(:provided) AS given
WHERE EXISTS (
    SELECT 1 FROM job_lanes
    WHERE pool = :pool AND requirement = given.key AND requirement <> '' AND active = 1 AND blocked_by IS NULL
    ORDER BY vtime, team_id
    LIMIT 1 OFFSET 0
)

-- name: capacities
-- A job that waits for others takes no room from those that others wait for; beside any other it counts.
SELECT
    team.id AS team_id, team.org_id, team.switches, company.cap AS org_cap,
    (SELECT cap FROM job_teams WHERE team_id = team.id) AS team_cap,
    (
        SELECT COUNT(*) FROM jobs
        WHERE state = 'running' AND jobs.org_id = team.org_id AND jobs.team_id = team.id AND waiting <> 1
    ) AS team_working,
    (
        SELECT COUNT(*) FROM jobs WHERE state = 'running' AND jobs.org_id = team.org_id AND waiting <> 1
    ) AS org_working,
    (
        SELECT COUNT(*) FROM jobs
        WHERE state = 'running' AND jobs.org_id = team.org_id AND jobs.team_id = team.id AND priority <= 100
    ) AS team_ordinary,
    (
        SELECT COUNT(*) FROM jobs WHERE state = 'running' AND jobs.org_id = team.org_id AND priority <= 100
    ) AS org_ordinary
FROM json_each(:teams) AS given
JOIN teams AS team ON team.id = given.key -- (sqlite)
JOIN job_companies AS company ON company.org_id = team.org_id -- (sqlite)
JOIN teams AS team ON team.id = ANY (ARRAY[given.key]) -- (postgresql)
JOIN job_companies AS company ON company.org_id = ANY (ARRAY[team.org_id]) -- (postgresql)

-- name: lock_companies
-- Nobody claims for them, suspends or resumes them, or changes what they may have, while their rows are held.
SELECT org_id FROM job_companies WHERE org_id IN (SELECT key FROM json_each(:companies)) ORDER BY org_id
FOR NO KEY UPDATE -- (postgresql)

-- name: set_waiting [quick]
UPDATE jobs SET waiting = :waiting WHERE id = :id AND claim_token = :token AND state = 'running'
RETURNING id
