-- name: holds
INSERT INTO blob_holds (org_id, holder, sha256)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT CAST(:org_id AS TEXT), 'made', 'held' || CAST(1000000000 + i AS TEXT) FROM n

-- name: objects
INSERT INTO objects (
    id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id, present, document,
    text_status, created_at, updated_at
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'obj_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT),
    CAST(:user_id AS TEXT), 'k' || CAST(i AS TEXT), 'team', 1, 1, 'ver_' || CAST(1000000000 + i AS TEXT), 1, 0,
    'none', 0, 0
FROM n

-- name: versions
INSERT INTO object_versions (
    id, object_id, org_id, number, marker, sha256, size, etag, content_type, filename, attributes, created_at,
    created_by
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'ver_' || CAST(1000000000 + i AS TEXT), 'obj_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT),
    1, 0, 'held' || CAST(1000000000 + 2 * i AS TEXT), 1, 'x', 'text/plain', 'x', '{}', 0, CAST(:user_id AS TEXT)
FROM n

-- name: small
INSERT INTO small_blobs (org_id, sha256, content)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT CAST(:org_id AS TEXT), 'small' || CAST(1000000000 + i AS TEXT), CAST('x' AS BYTEA) FROM n -- (postgresql)
SELECT CAST(:org_id AS TEXT), 'small' || CAST(1000000000 + i AS TEXT), CAST('x' AS BLOB) FROM n -- (sqlite)

-- name: events
INSERT INTO audit_events (id, chain, seq, org_id, team_id, at, actor_name, action, detail, mac)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'evt_' || CAST(1000000000 + i AS TEXT), 'made' || CAST(i % 10 AS TEXT), i, CAST(:org_id AS TEXT), 'x', 0, 'x',
    'note.created', '{}', 'x'
FROM n

-- name: checkpoints
INSERT INTO audit_checkpoints (chain, seq, mac, at, kind, seal)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'made1', i, 'x', i, 'verified', 'x' FROM n
