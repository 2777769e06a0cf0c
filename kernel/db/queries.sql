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
