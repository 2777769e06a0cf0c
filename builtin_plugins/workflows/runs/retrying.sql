-- name: copy_steps
-- What a retried run keeps, with its numbers; these are its first revisions too.
INSERT INTO run_steps (
    run_id, number, name, kind, state, tries, output, total, waiting, next_index, done, failed, bytes, parent,
    branch, revision, started_at, finished_at
)
SELECT
    CAST(:new_id AS TEXT), number, name, kind, state, tries, output, total, waiting, next_index, done, failed,
    bytes, parent, branch, number, started_at, finished_at
FROM run_steps
WHERE run_id = :run_id AND number < :until AND state = 'succeeded'

-- name: kept_steps
SELECT DISTINCT name, kind FROM run_steps WHERE run_id = :run_id AND number < :until AND state = 'succeeded'

-- name: jobs_kept
SELECT COALESCE(SUM(CASE kind WHEN 'map' THEN total WHEN 'choice' THEN 0 WHEN 'parallel' THEN 0 ELSE 1 END), 0) AS jobs
FROM run_steps
WHERE run_id = :run_id AND number < :until AND state = 'succeeded'

-- name: copy_items
-- Those that succeeded, and the others to be done once more.
INSERT INTO run_items (run_id, number, idx, state, item, output)
SELECT
    CAST(:new_id AS TEXT), number, idx, CASE state WHEN 'succeeded' THEN state ELSE 'waiting' END, item, output
FROM run_items
WHERE run_id = :run_id AND number = :number

-- name: items_kept
SELECT
    COUNT(*) AS total, COALESCE(SUM(CASE state WHEN 'succeeded' THEN 1 ELSE 0 END), 0) AS done,
    COALESCE(SUM(CASE state WHEN 'succeeded' THEN LENGTH(CAST(output AS BLOB)) + 1 ELSE 0 END), 0) AS bytes -- (sqlite)
    COALESCE(SUM(CASE state WHEN 'succeeded' THEN OCTET_LENGTH(output) + 1 ELSE 0 END), 0) AS bytes -- (postgresql)
FROM run_items
WHERE run_id = :run_id AND number = :number
