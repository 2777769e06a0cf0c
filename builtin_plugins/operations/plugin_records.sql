-- Migration 0015 of the kernel made this table.
-- name: records [quick]
SELECT id, version, status, reason FROM plugin_records ORDER BY id

-- name: record
INSERT INTO plugin_records (id, version, status, reason) VALUES (:id, :version, :status, :reason)

-- name: forget_records
DELETE FROM plugin_records

-- name: forget_record
DELETE FROM plugin_records WHERE id = :id
