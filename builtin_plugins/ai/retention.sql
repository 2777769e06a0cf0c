-- name: count
SELECT COUNT(*) AS many FROM ai_usage WHERE at < :before

-- name: delete
-- On PostgreSQL by their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM ai_usage WHERE (team_id, at, user_id, model, credential) IN ( -- (sqlite)
    SELECT team_id, at, user_id, model, credential -- (sqlite)
DELETE FROM ai_usage WHERE ctid = ANY (ARRAY ( -- (postgresql)
    SELECT ctid -- (postgresql)
    FROM ai_usage WHERE at < :before ORDER BY at LIMIT :limit
) -- (sqlite)
)) -- (postgresql)
RETURNING at
