-- name: next_due [quick]
SELECT MIN(run_at) FROM jobs WHERE state = 'scheduled'

-- name: next_lapse [quick]
SELECT MIN(lease_until) FROM jobs WHERE state = 'running'

-- name: time_now
SELECT :now AS leases, :wall AS of_day

-- name: promote
UPDATE jobs SET state = 'queued'
WHERE id IN (
    SELECT id FROM jobs WHERE state = 'scheduled' AND run_at <= :wall ORDER BY run_at LIMIT :max_rows
    FOR UPDATE SKIP LOCKED -- (postgresql)
)
RETURNING pool, team_id, org_id

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

-- name: idle_lane
SELECT 1 FROM job_lanes AS lane
WHERE active = 1 AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE state = 'queued' AND pool = lane.pool AND team_id = lane.team_id
)
LIMIT 1

-- name: idle_lanes
SELECT pool, team_id FROM job_lanes AS lane
WHERE active = 1 AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE state = 'queued' AND pool = lane.pool AND team_id = lane.team_id
)
LIMIT :max_rows
FOR UPDATE OF lane SKIP LOCKED -- (postgresql)

-- name: close_lane
UPDATE job_lanes SET active = 0, held = 0
WHERE pool = :pool AND team_id = :team_id AND NOT EXISTS (
    SELECT 1 FROM jobs WHERE state = 'queued' AND pool = :pool AND team_id = :team_id
)

-- name: oldest_jobs
-- A walk from where the one before ended: it meets neither what that deleted nor what that left.
SELECT MAX(id) AS last, SUM(CASE WHEN finished_at <= :until THEN 1 ELSE 0 END) AS over
FROM (SELECT id, finished_at FROM jobs WHERE id > :after AND id < :before ORDER BY id LIMIT :max_rows) AS next_ones

-- name: take_pruning_turn (sqlite)
SELECT 1

-- name: take_pruning_turn (postgresql)
SELECT pg_try_advisory_xact_lock(hashtextextended('pruning of jobs', 0))

-- name: prune
DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE id > :after AND id <= :last AND finished_at <= :until
    FOR UPDATE SKIP LOCKED -- (postgresql)
)
