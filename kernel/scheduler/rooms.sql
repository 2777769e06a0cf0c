-- name: lock_lanes (sqlite)
SELECT
    lane.team_id, lane.org_id, lane.vtime, org.plan,
    (SELECT MAX(vtime) FROM job_lanes WHERE pool = :pool) AS top,
    EXISTS (
        SELECT 1 FROM jobs
        WHERE state = 'queued' AND lender IS NOT NULL AND pool = :pool AND team_id = lane.team_id
    ) AS borrowers
FROM job_lanes AS lane JOIN orgs AS org ON org.id = lane.org_id
WHERE lane.pool = :pool AND lane.active = 1 AND org.suspended_at IS NULL
    AND (:org_id IS NULL OR lane.org_id = :org_id)
    AND (:team_id IS NULL OR lane.team_id = :team_id)
    AND EXISTS (
        SELECT 1 FROM jobs
        WHERE state = 'queued' AND pool = :pool AND team_id = lane.team_id
            AND (:models IS NULL OR model IS NULL OR model IN (SELECT value FROM json_each(:models)))
    )
    AND (
        (
            :shared_only = 0
            AND COALESCE(
                (
                    SELECT none_limit FROM quota_counters
                    WHERE org_id = lane.org_id AND team_id = lane.team_id AND dimension = 'jobs.concurrency'
                ),
                1000000000
            ) > (
                SELECT COUNT(*) FROM jobs
                WHERE state = 'running' AND org_id = lane.org_id AND team_id = lane.team_id
            ) - (
                SELECT COUNT(DISTINCT child.lender) FROM jobs AS child
                WHERE child.state = 'running' AND child.lender IS NOT NULL
                    AND child.org_id = lane.org_id AND child.team_id = lane.team_id
                    AND EXISTS (SELECT 1 FROM jobs WHERE id = child.lender AND state = 'running')
            )
            AND COALESCE(
                (
                    SELECT none_limit FROM quota_counters
                    WHERE org_id = lane.org_id AND team_id = '' AND dimension = 'jobs.concurrency'
                ),
                1000000000
            ) > (
                SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id
            ) - (
                SELECT COUNT(DISTINCT child.lender) FROM jobs AS child
                WHERE child.state = 'running' AND child.lender IS NOT NULL AND child.org_id = lane.org_id
                    AND EXISTS (SELECT 1 FROM jobs WHERE id = child.lender AND state = 'running')
            )
        )
        OR (
            EXISTS (
                SELECT 1 FROM jobs
                WHERE state = 'queued' AND lender IS NOT NULL AND pool = :pool AND team_id = lane.team_id
            )
            AND EXISTS (
                SELECT 1 FROM jobs AS parent
                WHERE parent.state = 'running' AND parent.org_id = lane.org_id AND parent.team_id = lane.team_id
                    AND EXISTS (
                        SELECT 1 FROM jobs AS child
                        WHERE child.state = 'queued' AND child.lender IS NOT NULL AND child.lender = parent.id
                            AND child.pool = :pool AND child.team_id = lane.team_id
                            AND (:models IS NULL OR child.model IS NULL OR child.model IN (SELECT value FROM json_each(:models)))
                    )
                    AND NOT EXISTS (
                        SELECT 1 FROM jobs AS child
                        WHERE child.state = 'running' AND child.lender IS NOT NULL AND child.lender = parent.id
                            AND child.org_id = lane.org_id AND child.team_id = lane.team_id
                    )
            )
        )
    )
ORDER BY lane.vtime, lane.team_id
LIMIT :most

-- name: lock_lanes (postgresql)
-- Who holds a company's row claims for it alone, and a suspension waits for them. The room that is seen here may
-- be gone by the time the lock is had: it is counted again, by a statement of its own. The OFFSET keeps the
-- planner from joining every waiting job where one look per lane will do.
SELECT
    lane.team_id, lane.org_id, lane.vtime, org.plan,
    (SELECT MAX(vtime) FROM job_lanes WHERE pool = :pool) AS top,
    EXISTS (
        SELECT 1 FROM jobs
        WHERE state = 'queued' AND lender IS NOT NULL AND pool = :pool AND team_id = lane.team_id
    ) AS borrowers
FROM job_lanes AS lane JOIN orgs AS org ON org.id = lane.org_id
WHERE lane.pool = :pool AND lane.active = 1 AND org.suspended_at IS NULL
    AND (CAST(:org_id AS TEXT) IS NULL OR lane.org_id = :org_id)
    AND (CAST(:team_id AS TEXT) IS NULL OR lane.team_id = :team_id)
    AND EXISTS (
        SELECT 1 FROM jobs
        WHERE state = 'queued' AND pool = :pool AND team_id = lane.team_id
            AND (
                CAST(:models AS TEXT) IS NULL OR model IS NULL
                OR model IN (SELECT jsonb_array_elements_text(CAST(:models AS JSONB)))
            )
        OFFSET 0
    )
    AND (
        (
            CAST(:shared_only AS INTEGER) = 0
            AND COALESCE(
                (
                    SELECT none_limit FROM quota_counters
                    WHERE org_id = lane.org_id AND team_id = lane.team_id AND dimension = 'jobs.concurrency'
                ),
                1000000000
            ) > (
                SELECT COUNT(*) FROM jobs
                WHERE state = 'running' AND org_id = lane.org_id AND team_id = lane.team_id
            ) - (
                SELECT COUNT(DISTINCT child.lender) FROM jobs AS child
                WHERE child.state = 'running' AND child.lender IS NOT NULL
                    AND child.org_id = lane.org_id AND child.team_id = lane.team_id
                    AND EXISTS (SELECT 1 FROM jobs WHERE id = child.lender AND state = 'running')
            )
            AND COALESCE(
                (
                    SELECT none_limit FROM quota_counters
                    WHERE org_id = lane.org_id AND team_id = '' AND dimension = 'jobs.concurrency'
                ),
                1000000000
            ) > (
                SELECT COUNT(*) FROM jobs WHERE state = 'running' AND org_id = lane.org_id
            ) - (
                SELECT COUNT(DISTINCT child.lender) FROM jobs AS child
                WHERE child.state = 'running' AND child.lender IS NOT NULL AND child.org_id = lane.org_id
                    AND EXISTS (SELECT 1 FROM jobs WHERE id = child.lender AND state = 'running')
            )
        )
        OR (
            EXISTS (
                SELECT 1 FROM jobs
                WHERE state = 'queued' AND lender IS NOT NULL AND pool = :pool AND team_id = lane.team_id
                OFFSET 0
            )
            AND EXISTS (
                SELECT 1 FROM jobs AS parent
                WHERE parent.state = 'running' AND parent.org_id = lane.org_id AND parent.team_id = lane.team_id
                    AND EXISTS (
                        SELECT 1 FROM jobs AS child
                        WHERE child.state = 'queued' AND child.lender IS NOT NULL AND child.lender = parent.id
                            AND child.pool = :pool AND child.team_id = lane.team_id
                            AND (
                            CAST(:models AS TEXT) IS NULL OR child.model IS NULL
                            OR child.model IN (SELECT jsonb_array_elements_text(CAST(:models AS JSONB)))
                        )
                    )
                    AND NOT EXISTS (
                        SELECT 1 FROM jobs AS child
                        WHERE child.state = 'running' AND child.lender IS NOT NULL AND child.lender = parent.id
                            AND child.org_id = lane.org_id AND child.team_id = lane.team_id
                    )
                OFFSET 0
            )
        )
    )
ORDER BY lane.vtime, lane.team_id
LIMIT :most
FOR NO KEY UPDATE OF org SKIP LOCKED

-- name: rooms (sqlite)
SELECT
    given.value AS team_id, team.switches,
    (
        SELECT none_limit FROM quota_counters AS q
        WHERE q.org_id = team.org_id AND q.team_id = team.id AND q.dimension = 'jobs.concurrency'
    ) AS team_limit,
    (
        SELECT none_limit FROM quota_counters AS q
        WHERE q.org_id = team.org_id AND q.team_id = '' AND q.dimension = 'jobs.concurrency'
    ) AS org_limit,
    (
        SELECT COUNT(*) FROM jobs
        WHERE state = 'running' AND jobs.org_id = team.org_id AND jobs.team_id = team.id
    ) AS team_running,
    (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND jobs.org_id = team.org_id) AS org_running,
    (
        SELECT COUNT(DISTINCT child.lender) FROM jobs AS child
        WHERE child.state = 'running' AND child.lender IS NOT NULL
            AND child.org_id = team.org_id AND child.team_id = team.id
            AND EXISTS (SELECT 1 FROM jobs WHERE id = child.lender AND state = 'running')
    ) AS team_lent,
    (
        SELECT COUNT(DISTINCT child.lender) FROM jobs AS child
        WHERE child.state = 'running' AND child.lender IS NOT NULL AND child.org_id = team.org_id
            AND EXISTS (SELECT 1 FROM jobs WHERE id = child.lender AND state = 'running')
    ) AS org_lent
FROM json_each(:teams) AS given JOIN teams AS team ON team.id = given.value

-- name: rooms (postgresql)
SELECT
    given.id AS team_id, team.switches,
    (
        SELECT none_limit FROM quota_counters AS q
        WHERE q.org_id = team.org_id AND q.team_id = team.id AND q.dimension = 'jobs.concurrency'
    ) AS team_limit,
    (
        SELECT none_limit FROM quota_counters AS q
        WHERE q.org_id = team.org_id AND q.team_id = '' AND q.dimension = 'jobs.concurrency'
    ) AS org_limit,
    (
        SELECT COUNT(*) FROM jobs
        WHERE state = 'running' AND jobs.org_id = team.org_id AND jobs.team_id = team.id
    ) AS team_running,
    (SELECT COUNT(*) FROM jobs WHERE state = 'running' AND jobs.org_id = team.org_id) AS org_running,
    (
        SELECT COUNT(DISTINCT child.lender) FROM jobs AS child
        WHERE child.state = 'running' AND child.lender IS NOT NULL
            AND child.org_id = team.org_id AND child.team_id = team.id
            AND EXISTS (SELECT 1 FROM jobs WHERE id = child.lender AND state = 'running')
    ) AS team_lent,
    (
        SELECT COUNT(DISTINCT child.lender) FROM jobs AS child
        WHERE child.state = 'running' AND child.lender IS NOT NULL AND child.org_id = team.org_id
            AND EXISTS (SELECT 1 FROM jobs WHERE id = child.lender AND state = 'running')
    ) AS org_lent
FROM jsonb_array_elements_text(CAST(:teams AS JSONB)) AS given (id) JOIN teams AS team ON team.id = given.id
