-- name: next_times [quick]
SELECT
    (SELECT MIN(run_at) FROM jobs WHERE state = 'scheduled') AS due,
    (SELECT MIN(lease_until) FROM jobs WHERE state = 'running') AS lapse

-- name: time_now
SELECT :now AS leases, :wall AS of_day

-- name: promote
UPDATE jobs SET state = 'queued'
WHERE id IN ( -- (sqlite)
WHERE id = ANY (ARRAY ( -- (postgresql)
    SELECT id FROM jobs WHERE state = 'scheduled' AND run_at <= :wall ORDER BY run_at LIMIT :max_rows
    FOR UPDATE SKIP LOCKED -- (postgresql)
) -- (sqlite)
)) -- (postgresql)
RETURNING pool, team_id, org_id, requirement

-- name: lapsed
SELECT id, lapses, max_attempts FROM jobs
WHERE state = 'running' AND lease_until <= :now
ORDER BY lease_until LIMIT :max_rows
FOR UPDATE SKIP LOCKED -- (postgresql)

-- name: left_by_this_process
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND in_process = 1

-- name: renew_leases
-- After the clock was set on or back: everybody has one lease from now, no less and no more.
UPDATE jobs SET lease_until = :now + CAST(:lease_ms AS BIGINT)
WHERE state = 'running' AND (lease_until <= :now OR lease_until > :now + CAST(:lease_ms AS BIGINT))

-- name: hasten_retries
-- After the time of day was set back: what waits between two attempts waits no longer than it ever would.
UPDATE jobs SET run_at = :wall + CAST(:longest AS BIGINT)
WHERE state = 'scheduled' AND attempt > 0 AND run_at > :wall + CAST(:longest AS BIGINT)

-- name: lanes_from
-- Some lanes that claims walk along, on from where the look before ended, and whether nothing waits in them.
SELECT
    lane.pool, lane.vtime, lane.team_id, lane.requirement, lane.org_id,
    CASE
        WHEN lane.requirement = '' THEN NOT EXISTS (
            SELECT 1 FROM jobs
            WHERE state = 'queued' AND pool = lane.pool AND team_id = lane.team_id AND requirement IS NULL
            LIMIT 1 OFFSET 0
        )
        ELSE NOT EXISTS (
            SELECT 1 FROM jobs
            WHERE state = 'queued' AND pool = lane.pool AND team_id = lane.team_id
                AND requirement = lane.requirement
            LIMIT 1 OFFSET 0
        )
    END AS idle
FROM (
    SELECT pool, vtime, team_id, requirement, org_id FROM job_lanes
    WHERE active = 1 AND blocked_by IS NULL AND requirement >= ''
        AND (pool, vtime, team_id, requirement) > (:pool, :vtime, :team_id, :requirement)
    ORDER BY pool, vtime, team_id, requirement
    LIMIT :max_rows
) AS lane
ORDER BY lane.pool, lane.vtime, lane.team_id, lane.requirement

-- name: lock_lane
SELECT 1 FROM job_lanes
WHERE pool = :pool AND team_id = :team_id AND requirement = :requirement AND active = 1
FOR UPDATE SKIP LOCKED -- (postgresql)

-- name: close_lane
UPDATE job_lanes SET active = 0, blocked_by = NULL
WHERE pool = :pool AND team_id = :team_id AND requirement = :requirement AND NOT EXISTS (
    SELECT 1 FROM jobs
    WHERE state = 'queued' AND pool = :pool AND team_id = :team_id AND requirement IS NULL
)

-- name: remove_lane
DELETE FROM job_lanes
WHERE pool = :pool AND team_id = :team_id AND requirement = :requirement AND NOT EXISTS (
    SELECT 1 FROM jobs
    WHERE state = 'queued' AND pool = :pool AND team_id = :team_id AND requirement = :requirement
)

-- name: oldest_jobs
-- A walk from where the one before ended: it meets neither what that deleted nor what that left.
SELECT MAX(id) AS last, SUM(CASE WHEN finished_at <= :until THEN 1 ELSE 0 END) AS over
FROM (SELECT id, finished_at FROM jobs WHERE id > :after AND id < :before ORDER BY id LIMIT :max_rows) AS next_ones

-- name: count_prunable
SELECT COUNT(*) AS many FROM jobs WHERE id < :before AND finished_at <= :until

-- name: prune
DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE id > :after AND id <= :last AND finished_at <= :until ORDER BY id LIMIT :limit
    FOR UPDATE SKIP LOCKED -- (postgresql)
)
RETURNING id
