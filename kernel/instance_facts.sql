-- name: find [quick]
SELECT value FROM instance_facts WHERE key = :key

-- name: below [quick]
SELECT key, value FROM instance_facts WHERE key > :prefix AND key < :beyond

-- name: put
INSERT INTO instance_facts (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: remove
DELETE FROM instance_facts WHERE key = :key

-- name: remove_value
DELETE FROM instance_facts WHERE key = :key AND value = :value

-- name: live_servers (sqlite)
-- The one that owns the file is whoever asks.
SELECT host, pid, version FROM processes WHERE id < ''

-- name: live_servers (postgresql)
-- Each renews its row every two seconds.
SELECT host, pid, COALESCE(version, '') AS version FROM processes
WHERE seen_at > EXTRACT(EPOCH FROM clock_timestamp()) * 1000 - 10000
ORDER BY started_at, id

-- name: a_server_runs
SELECT 1 FROM processes LIMIT 1
