-- name: put_small [quick]
-- One that is there already stays, unless it went bad.
INSERT INTO small_blobs (org_id, sha256, content) VALUES (:org_id, :sha256, :content)
ON CONFLICT (org_id, sha256) DO UPDATE SET content = excluded.content
WHERE small_blobs.content <> excluded.content

-- name: has_small [quick]
SELECT 1 AS found FROM small_blobs WHERE org_id = :org_id AND sha256 = :sha256

-- name: small_content [quick]
SELECT content FROM small_blobs WHERE org_id = :org_id AND sha256 = :sha256

-- name: delete_unused_small [quick]
DELETE FROM small_blobs
WHERE org_id = :org_id AND sha256 = :sha256
    AND NOT EXISTS (SELECT 1 FROM object_versions WHERE org_id = :org_id AND sha256 = :sha256)
    AND NOT EXISTS (SELECT 1 FROM blob_holds WHERE org_id = :org_id AND sha256 = :sha256)
RETURNING sha256

-- name: find_small_blobs
-- So many and no more, whether they are used or not. Looked up one by one: of EXISTS PostgreSQL would make a
-- table of all that is used.
SELECT
    small.org_id, small.sha256,
    COALESCE(
        (
            SELECT 1 FROM object_versions AS versions
            WHERE versions.org_id = small.org_id AND versions.sha256 = small.sha256 LIMIT 1
        ),
        (
            SELECT 1 FROM blob_holds AS holds
            WHERE holds.org_id = small.org_id AND holds.sha256 = small.sha256 LIMIT 1
        ),
        0
    ) AS used
FROM small_blobs AS small
WHERE (small.org_id, small.sha256) > (:org_id, :sha256)
ORDER BY small.org_id, small.sha256
LIMIT :limit

-- name: small_blobs
SELECT
    small.org_id AS namespace, small.sha256, small.content,
    COALESCE(
        (
            SELECT 1 FROM object_versions AS versions
            WHERE versions.org_id = small.org_id AND versions.sha256 = small.sha256 LIMIT 1
        ),
        (
            SELECT 1 FROM blob_holds AS holds
            WHERE holds.org_id = small.org_id AND holds.sha256 = small.sha256 LIMIT 1
        ),
        0
    ) AS used
FROM small_blobs AS small
WHERE (small.org_id, small.sha256) > (:namespace, :sha256)
ORDER BY small.org_id, small.sha256
LIMIT :limit
