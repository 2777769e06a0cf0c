-- name: hold
INSERT INTO instance_facts (key, value) VALUES (:key, :until)
ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: let_go
DELETE FROM instance_facts WHERE key = :key

-- name: forget_lapsed
DELETE FROM instance_facts WHERE key > 'backup:' AND key < 'backup;' AND value <= :now

-- name: held [quick]
-- Times have thirteen digits for the next two hundred years: as texts they compare as numbers do.
SELECT 1 AS held FROM instance_facts WHERE key > 'backup:' AND key < 'backup;' AND value > :now LIMIT 1

-- name: store
SELECT substr(value, 1, length(value) - 65) AS kind, substr(value, length(value) - 63) AS mark
FROM instance_facts WHERE key = 'blob_store'

-- name: set_store
INSERT INTO instance_facts (key, value) VALUES ('blob_store', :store)
ON CONFLICT (key) DO UPDATE SET value = excluded.value

-- name: live_server (sqlite)
-- The one that owns the file is whoever asks.
SELECT host, pid FROM processes WHERE id < ''

-- name: live_server (postgresql)
-- Each renews its row every two seconds.
SELECT host, pid FROM processes WHERE seen_at > EXTRACT(EPOCH FROM clock_timestamp()) * 1000 - 10000 LIMIT 1
