-- name: block_lanes
-- After the company's row is had: no claim is under way, and none walks past these from now on.
UPDATE job_lanes SET blocked_by = :by
WHERE active = 1 AND blocked_by IS NULL AND (pool, team_id) IN (
    SELECT pool, team_id FROM job_lanes
    WHERE active = 1 AND blocked_by IS NULL AND org_id IN (SELECT key FROM json_each(:companies))
        AND (CAST(:every_team AS INTEGER) = 1 OR team_id IN (SELECT key FROM json_each(:teams)))
    ORDER BY pool, team_id
    FOR NO KEY UPDATE SKIP LOCKED -- (postgresql)
)
RETURNING team_id, org_id

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
