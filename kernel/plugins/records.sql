-- name: has_records (sqlite)
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'plugin_records'

-- name: has_records (postgresql)
SELECT 1 WHERE to_regclass('plugin_records') IS NOT NULL

-- name: records [quick]
SELECT id, version, status, reason, proof FROM plugin_records ORDER BY id

-- name: forget_records
DELETE FROM plugin_records

-- name: record
INSERT INTO plugin_records (id, version, status, reason, proof)
VALUES (:id, :version, :status, :reason, :proof)
