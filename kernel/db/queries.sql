-- name: make_ledger
CREATE TABLE IF NOT EXISTS schema_ledger (
  owner TEXT NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at BIGINT NOT NULL,
  PRIMARY KEY (owner, number)
)

-- name: ledger
SELECT owner, number, checksum FROM schema_ledger ORDER BY owner, number

-- name: contracts
SELECT owner, name, applied_at FROM schema_ledger WHERE checksum LIKE 'contract:%' ORDER BY applied_at, owner, number

-- name: ledger_entry
SELECT checksum FROM schema_ledger WHERE owner = :owner AND number = :number

-- name: record
INSERT INTO schema_ledger (owner, number, name, checksum, applied_at)
VALUES (:owner, :number, :name, :checksum, :applied_at)

-- name: has_objects
SELECT 1 AS one FROM schema_objects WHERE owner = :owner LIMIT 1

-- name: record_object
INSERT INTO schema_objects (owner, kind, name) VALUES (:owner, :kind, :name) ON CONFLICT DO NOTHING

-- name: forget_object
DELETE FROM schema_objects WHERE owner = :owner AND kind = :kind AND name = :name

-- name: steps_by_owner
SELECT owner, COUNT(*) AS steps FROM schema_ledger GROUP BY owner ORDER BY owner

-- name: objects_of_owner
SELECT kind, name FROM schema_objects WHERE owner = :owner ORDER BY kind, name

-- name: virtual_tables (sqlite)
SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'

-- name: virtual_tables (postgresql)
SELECT '' AS name WHERE 1 = 0

-- name: defer_keys (sqlite)
PRAGMA defer_foreign_keys = ON

-- name: defer_keys (postgresql)
SELECT 1

-- name: forget_objects
DELETE FROM schema_objects WHERE owner = :owner

-- name: forget_steps
DELETE FROM schema_ledger WHERE owner = :owner
