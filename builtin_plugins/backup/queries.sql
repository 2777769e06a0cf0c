-- name: columns (sqlite)
SELECT t.name AS table_name, c.name AS column_name, c.pk AS key_position
FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c
WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND c.hidden = 0
ORDER BY t.name, c.cid

-- name: columns (postgresql)
SELECT t.relname::text AS table_name, c.attname::text AS column_name,
    COALESCE(array_position(k.conkey, c.attnum), 0) AS key_position
FROM pg_class AS t
JOIN pg_attribute AS c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
LEFT JOIN pg_constraint AS k ON k.conrelid = t.oid AND k.contype = 'p'
WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
ORDER BY t.relname, c.attnum

-- name: keys_between (sqlite)
SELECT t.name AS table_name, k."from" AS column_name, k."table" AS to_table, COALESCE(k."to", 'id') AS to_column
FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS k
WHERE t.schema = 'main' AND t.type = 'table'
ORDER BY t.name, k.id, k.seq

-- name: keys_between (postgresql)
SELECT t.relname::text AS table_name, a.attname::text AS column_name, f.relname::text AS to_table,
    b.attname::text AS to_column
FROM pg_constraint AS k
JOIN pg_class AS t ON t.oid = k.conrelid AND NOT t.relispartition
JOIN pg_class AS f ON f.oid = k.confrelid
CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS u (here, there)
JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.here
JOIN pg_attribute AS b ON b.attrelid = k.confrelid AND b.attnum = u.there
WHERE k.contype = 'f' AND t.relnamespace = current_schema()::regnamespace
ORDER BY t.relname, k.conname, u.here
