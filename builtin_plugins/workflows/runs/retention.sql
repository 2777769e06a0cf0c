-- name: over [part]
-- Ids sort by time: what was not even asked for by then cannot have ended.
FROM runs WHERE id < :before_id AND state <> 'running' AND finished_at < :before

-- name: count
SELECT COUNT(*) AS many
-- use: over

-- name: delete_items
-- Of the oldest runs: a map has thousands of them. On PostgreSQL by their places: a limit that the plan does not
-- know would have them joined with all that are there. Whoever retries one holds it, and finds all of its items.
DELETE FROM run_items WHERE (run_id, number, idx) IN ( -- (sqlite)
    SELECT items.run_id, items.number, items.idx -- (sqlite)
DELETE FROM run_items WHERE ctid = ANY (ARRAY ( -- (postgresql)
    SELECT items.ctid -- (postgresql)
    FROM (
        SELECT id
        -- use: over
        ORDER BY id LIMIT :limit
        FOR UPDATE SKIP LOCKED -- (postgresql)
    ) AS oldest JOIN run_items AS items ON items.run_id = oldest.id -- (sqlite)
    ) AS oldest CROSS JOIN LATERAL ( -- (postgresql)
        SELECT ctid FROM run_items WHERE run_id = oldest.id LIMIT :max_items -- (postgresql)
    ) AS items -- (postgresql)
    LIMIT :max_items
) -- (sqlite)
)) -- (postgresql)
RETURNING idx

-- name: delete_runs
-- Their steps go with them, and their items have gone before. The items of each of the oldest are looked for by
-- themselves, which the OFFSET sees to: else all that are there would be read.
DELETE FROM runs WHERE id IN ( -- (sqlite)
    SELECT oldest.id FROM ( -- (sqlite)
        SELECT id -- (sqlite)
DELETE FROM runs WHERE ctid = ANY (ARRAY ( -- (postgresql)
    SELECT oldest.ctid FROM ( -- (postgresql)
        SELECT ctid, id -- (postgresql)
        -- use: over
        ORDER BY id LIMIT :limit
        FOR UPDATE SKIP LOCKED -- (postgresql)
    ) AS oldest
    WHERE NOT EXISTS (SELECT 1 FROM run_items WHERE run_items.run_id = oldest.id LIMIT 1 OFFSET 0)
) -- (sqlite)
)) -- (postgresql)
RETURNING id
