-- name: objects
-- Of the first half every third is there, every third was deleted, and of every third nothing but a marker is left;
-- of the second half, but for the last thousand, nothing but markers is left.
INSERT INTO objects (
    id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id, present, vacant, document,
    text_status, created_at, updated_at
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'obj_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT),
    CAST(:user_id AS TEXT), 'k' || CAST(1000000000 + i AS TEXT), 'team', 1, 3,
    'ver_3_' || CAST(1000000000 + i AS TEXT), CASE WHEN i % 3 = 0 AND NOT (i > CAST(:many AS BIGINT) / 2 AND i < CAST(:many AS BIGINT) - 1000) THEN 1 ELSE 0 END,
    CASE WHEN i % 3 = 1 OR (i > CAST(:many AS BIGINT) / 2 AND i < CAST(:many AS BIGINT) - 1000) THEN 1 ELSE 0 END, 0, 'none', 0, i
FROM n

-- name: versions
INSERT INTO object_versions (
    id, object_id, org_id, number, marker, sha256, size, etag, content_type, filename, attributes, created_at,
    created_by, old_in, old_since
)
SELECT 'ver_' || CAST(:number AS TEXT) || SUBSTR(id, 4), id, org_id, CAST(CAST(:number AS TEXT) AS BIGINT),
    CASE WHEN vacant = 1 OR (CAST(:number AS TEXT) = '3' AND present = 0) THEN 1 ELSE 0 END, 'x', 1, 'x', 'text/plain',
    'x', '{}', 0, owner_id, CASE WHEN CAST(:number AS TEXT) = '3' THEN NULL ELSE team_id END,
    CASE WHEN CAST(:number AS TEXT) = '3' THEN NULL ELSE updated_at END
FROM objects

-- name: derivations
INSERT INTO derivations (derived_id, derived_number, source_id, source_number, org_id, created_at)
SELECT id, 3, id, 1, org_id, 0 FROM objects

-- name: lifecycles
INSERT INTO repo_lifecycles (
    team_id, org_id, set_by, rules, holds_from, updated_at, stage, after_time, after_name, due_at, held_until,
    versions, bytes
)
SELECT :team_id, :org_id, :user_id, '[]', 0, 0, 'versions', -1, '', 0, 0, 0, 0
