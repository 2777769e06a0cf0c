-- name: count
SELECT COUNT(*) AS many FROM executors WHERE retired_at < :before

-- name: delete
-- On PostgreSQL by their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM executors WHERE id IN ( -- (sqlite)
    SELECT id -- (sqlite)
DELETE FROM executors WHERE ctid = ANY (ARRAY ( -- (postgresql)
    SELECT ctid -- (postgresql)
    FROM executors WHERE retired_at < :before ORDER BY retired_at, id LIMIT :limit
) -- (sqlite)
)) -- (postgresql)
RETURNING id
