-- name: park (sqlite)
-- Of those that would go first, which are not to be had: each into the pool of what it waits for, which nobody
-- claims from.
UPDATE jobs SET pool = (SELECT value FROM json_each(:pools) WHERE key = jobs.kind) || pool
WHERE state = 'queued' AND id IN (
    SELECT id FROM (
        SELECT id, kind FROM jobs WHERE state = 'queued' AND pool = :pool AND team_id = :team_id
        ORDER BY priority DESC, run_at, id
        LIMIT :max_rows
    )
    WHERE kind IN (SELECT key FROM json_each(:pools))
)
RETURNING pool, team_id, org_id, requirement

-- name: park (postgresql)
WITH first_ones AS MATERIALIZED (
    SELECT id, kind, state FROM jobs WHERE state = 'queued' AND pool = :pool AND team_id = :team_id
    ORDER BY priority DESC, run_at, id
    LIMIT :max_rows
)
UPDATE jobs SET pool = aside.pool || jobs.pool
FROM first_ones JOIN jsonb_each_text(CAST(:pools AS JSONB)) AS aside (kind, pool) ON aside.kind = first_ones.kind
WHERE jobs.id = ANY (ARRAY[first_ones.id]) AND jobs.state = ANY (ARRAY[first_ones.state])
RETURNING jobs.pool, jobs.team_id, jobs.org_id, jobs.requirement

-- name: parked_lanes [quick]
SELECT lane.pool, lane.team_id, lane.org_id, lane.requirement, team.switches
FROM job_lanes AS lane JOIN teams AS team ON team.id = lane.team_id
WHERE lane.pool >= 'off/' AND lane.pool < 'off0' AND lane.active = 1
ORDER BY lane.pool, lane.team_id, lane.requirement

-- name: unpark
UPDATE jobs SET pool = :pool
WHERE id IN ( -- (sqlite)
WHERE id = ANY (ARRAY ( -- (postgresql)
    SELECT id FROM jobs WHERE state = 'queued' AND pool = :parked AND team_id = :team_id
    ORDER BY priority DESC, run_at, id
    LIMIT :max_rows
    FOR UPDATE SKIP LOCKED -- (postgresql)
) -- (sqlite)
)) -- (postgresql)
RETURNING id
