-- name: add_process
INSERT INTO processes (id, started_at, seen_at, host, pid, version) VALUES (:id, :now, :now, :host, :pid, :version)

-- name: beat
UPDATE processes SET seen_at = :now WHERE id = :id RETURNING id

-- name: remove_process
DELETE FROM processes WHERE id = :id

-- name: rename_holder
UPDATE jobs SET process_id = :id WHERE state = 'running' AND process_id = :before

-- name: count_processes
SELECT COUNT(*) FROM processes

-- name: other_processes
SELECT id, seen_at, host, pid FROM processes WHERE id <> :id

-- name: is_disconnected (sqlite)
SELECT 0

-- name: is_disconnected (postgresql)
SELECT pg_try_advisory_xact_lock(hashtextextended(:key, 0))

-- name: declare_dead
-- Unless it has given a sign since.
DELETE FROM processes WHERE id = :id AND seen_at = :seen_at RETURNING id

-- name: held_by_process (sqlite)
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND process_id = :process_id

-- name: held_by_process (postgresql)
SELECT id, lapses, max_attempts FROM jobs WHERE state = 'running' AND process_id = :process_id
ORDER BY id
FOR UPDATE
