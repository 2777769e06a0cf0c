-- name: has_records (sqlite)
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'plugin_records'

-- name: has_records (postgresql)
SELECT 1 WHERE to_regclass('plugin_records') IS NOT NULL

-- name: records [quick]
-- Beside each the names that were ever its own, of one that can be uninstalled.
SELECT records.id, records.version, records.status, records.reason, records.proof, facts.value AS declared
FROM plugin_records AS records
LEFT JOIN instance_facts AS facts ON facts.key = 'plugin_names:' || records.id
ORDER BY records.id

-- name: forget_records
DELETE FROM plugin_records

-- name: forget_names
DELETE FROM instance_facts WHERE key > 'plugin_names:' AND key < 'plugin_names;'

-- name: record_names
INSERT INTO instance_facts (key, value) VALUES ('plugin_names:' || CAST(:id AS TEXT), :declared)

-- name: record
INSERT INTO plugin_records (id, version, status, reason, proof)
VALUES (:id, :version, :status, :reason, :proof)

-- name: a_server_runs
SELECT 1 FROM processes LIMIT 1
