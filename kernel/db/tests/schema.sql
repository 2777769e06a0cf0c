-- name: columns (sqlite)
SELECT t.name AS table_name, c.name, c.type, 1 - c."notnull" AS nullable, c.dflt_value AS default_value
FROM sqlite_master AS t, pragma_table_info(t.name) AS c
WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND t.name <> 'schema_ledger'

-- name: columns (postgresql)
SELECT t.relname AS table_name, c.attname AS name,
  format_type(c.atttypid, c.atttypmod) || CASE WHEN l.collname = 'C' THEN ' COLLATE "C"' ELSE '' END AS type,
  CASE WHEN c.attnotnull THEN 0 ELSE 1 END AS nullable, pg_get_expr(d.adbin, d.adrelid) AS default_value
FROM pg_class AS t
JOIN pg_attribute AS c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
LEFT JOIN pg_attrdef AS d ON d.adrelid = t.oid AND d.adnum = c.attnum
LEFT JOIN pg_collation AS l ON l.oid = c.attcollation
WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind = 'r' AND t.relname <> 'schema_ledger'

-- name: indexes (sqlite)
SELECT t.name AS table_name, i.name,
  COALESCE(m.sql, i.origin || ' ' || (SELECT group_concat(p.name, ', ') FROM pragma_index_info(i.name) AS p))
    AS definition
FROM sqlite_master AS t, pragma_index_list(t.name) AS i
JOIN sqlite_master AS m ON m.type = 'index' AND m.name = i.name
WHERE t.type = 'table' AND t.name <> 'schema_ledger'

-- name: indexes (postgresql)
SELECT tablename AS table_name, indexname AS name, indexdef AS definition
FROM pg_indexes WHERE schemaname = current_schema() AND tablename <> 'schema_ledger'

-- name: keys (sqlite)
SELECT t.name AS table_name,
  group_concat(f."from", ', ') || ' -> ' || f."table" || ' (' || group_concat(COALESCE(f."to", '?'), ', ')
    || ') on update ' || f.on_update || ' on delete ' || f.on_delete AS definition
FROM sqlite_master AS t, pragma_foreign_key_list(t.name) AS f
WHERE t.type = 'table' AND t.name <> 'schema_ledger'
GROUP BY t.name, f.id, f."table", f.on_update, f.on_delete

-- name: keys (postgresql)
SELECT t.relname AS table_name, pg_get_constraintdef(k.oid) AS definition
FROM pg_constraint AS k JOIN pg_class AS t ON t.oid = k.conrelid
WHERE t.relnamespace = current_schema()::regnamespace AND k.contype IN ('f', 'c') AND t.relname <> 'schema_ledger'
