-- name: count
SELECT COUNT(*) AS many FROM executors WHERE retired_at < :before

-- name: delete
DELETE FROM executors WHERE id IN (
    SELECT id FROM executors WHERE retired_at < :before ORDER BY retired_at, id LIMIT :limit
)
RETURNING id
