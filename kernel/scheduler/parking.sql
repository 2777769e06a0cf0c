-- name: park (sqlite)
-- Of those that would go first, which are not to be had: into a pool that nobody claims from.
UPDATE jobs SET pool = :aside || pool
WHERE state = 'queued' AND id IN (
    SELECT id FROM (
        SELECT id, kind FROM jobs WHERE state = 'queued' AND pool = :pool AND team_id = :team_id
        ORDER BY priority DESC, run_at, id
        LIMIT :looked_at
    )
    WHERE kind IN (SELECT value FROM json_each(:kinds))
)
RETURNING id, requirement

-- name: park (postgresql)
WITH first_ones AS MATERIALIZED (
    SELECT id, kind, state FROM jobs WHERE state = 'queued' AND pool = :pool AND team_id = :team_id
    ORDER BY priority DESC, run_at, id
    LIMIT :looked_at
)
UPDATE jobs SET pool = CAST(:aside AS TEXT) || pool
FROM first_ones
WHERE jobs.id = ANY (ARRAY[first_ones.id]) AND jobs.state = ANY (ARRAY[first_ones.state])
    AND first_ones.kind IN (SELECT jsonb_array_elements_text(CAST(:kinds AS JSONB)))
RETURNING jobs.id, jobs.requirement

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
