-- name: markers
-- Below every version that there is.
INSERT INTO object_versions (
    id, object_id, org_id, number, marker, sha256, size, etag, content_type, filename, attributes, created_at,
    created_by
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'ver_marker_' || CAST(i AS TEXT), CAST(:id AS TEXT), CAST(:org_id AS TEXT), -i, 1, '', 0, '', 'text/plain', 'k', '{}', 0,
    CAST(:user_id AS TEXT)
FROM n

-- name: delete_content
DELETE FROM object_versions WHERE object_id = :id AND marker = 0
