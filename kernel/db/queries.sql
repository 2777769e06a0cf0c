-- name: ledger_exists (sqlite)
SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_ledger'

-- name: ledger_exists (postgresql)
SELECT 1 WHERE to_regclass('schema_ledger') IS NOT NULL

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

-- name: objects (sqlite)
SELECT type AS kind, name FROM sqlite_master
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'

-- name: objects (postgresql)
SELECT CASE relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence' ELSE 'table' END
    AS kind, relname AS name
FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'f', 'v', 'm', 'S')
    AND NOT relispartition

-- name: has_objects
SELECT 1 AS one FROM schema_objects WHERE owner = :owner LIMIT 1

-- name: record_object
INSERT INTO schema_objects (owner, kind, name) VALUES (:owner, :kind, :name) ON CONFLICT DO NOTHING

-- name: forget_object
DELETE FROM schema_objects WHERE owner = :owner AND kind = :kind AND name = :name

-- name: size (sqlite)
SELECT counted.page_count * sized.page_size FROM pragma_page_count AS counted, pragma_page_size AS sized

-- name: size (postgresql)
SELECT pg_database_size(current_database())
