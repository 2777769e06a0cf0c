-- name: released [quick]
SELECT deleted_at FROM blob_releases WHERE org_id = :org_id AND sha256 = :sha256

-- name: referenced [quick]
-- With the bytes, where they lie in the database: one statement, so that nobody comes or goes in between.
SELECT (SELECT content FROM small_blobs WHERE org_id = :org_id AND sha256 = :sha256) AS content
WHERE EXISTS (SELECT 1 FROM object_versions WHERE org_id = :org_id AND sha256 = :sha256)
    OR EXISTS (SELECT 1 FROM blob_holds WHERE org_id = :org_id AND sha256 = :sha256)

-- name: needs_file [quick]
-- Something refers to the bytes, and they do not lie in the database.
SELECT 1 AS needed
WHERE NOT EXISTS (SELECT 1 FROM small_blobs WHERE org_id = :org_id AND sha256 = :sha256)
    AND (
        EXISTS (SELECT 1 FROM object_versions WHERE org_id = :org_id AND sha256 = :sha256)
        OR EXISTS (SELECT 1 FROM blob_holds WHERE org_id = :org_id AND sha256 = :sha256)
    )

-- name: request_release
INSERT INTO blob_releases (org_id, sha256, requested_at) VALUES (:org_id, :sha256, :now)
ON CONFLICT (org_id, sha256) DO UPDATE SET requested_at = excluded.requested_at, deleted_at = NULL

-- name: drop_release
DELETE FROM blob_releases WHERE org_id = :org_id AND sha256 = :sha256

-- name: mark_deleted
UPDATE blob_releases SET deleted_at = :now WHERE org_id = :org_id AND sha256 = :sha256

-- name: forget_releases
-- On PostgreSQL by their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM blob_releases WHERE (org_id, sha256) IN ( -- (sqlite)
    SELECT org_id, sha256 -- (sqlite)
DELETE FROM blob_releases WHERE ctid = ANY (ARRAY ( -- (postgresql)
    SELECT ctid -- (postgresql)
    FROM blob_releases WHERE deleted_at < :before ORDER BY deleted_at LIMIT :limit
) -- (sqlite)
)) -- (postgresql)
RETURNING sha256

-- name: pending_releases
SELECT org_id, sha256 FROM blob_releases WHERE deleted_at IS NULL ORDER BY org_id, sha256 LIMIT :limit

-- name: hold
INSERT INTO blob_holds (org_id, holder, sha256) VALUES (:org_id, :holder, :sha256)
ON CONFLICT (org_id, holder, sha256) DO NOTHING

-- name: let_go
DELETE FROM blob_holds WHERE org_id = :org_id AND holder = :holder RETURNING sha256

-- name: references
-- To what the blob store has to have: small ones lie in the database.
-- Each of the two begins where the page does, and ends with it; the arrays keep PostgreSQL from
-- reading all small ones to find these.
SELECT namespace, sha256 FROM (
    SELECT namespace, sha256 FROM (
        SELECT DISTINCT versions.org_id AS namespace, versions.sha256
        FROM object_versions AS versions
        WHERE (versions.org_id, versions.sha256) > (:namespace, :sha256) AND versions.sha256 <> ''
            AND NOT EXISTS (
                SELECT 1 FROM small_blobs AS small
                WHERE small.org_id = versions.org_id AND small.sha256 = versions.sha256 -- (sqlite)
                WHERE small.org_id = ANY (ARRAY[versions.org_id]) AND small.sha256 = ANY (ARRAY[versions.sha256]) -- (postgresql)
            )
        ORDER BY versions.org_id, versions.sha256
        LIMIT :limit
    ) AS of_versions
    UNION
    SELECT namespace, sha256 FROM (
        SELECT DISTINCT holds.org_id AS namespace, holds.sha256
        FROM blob_holds AS holds
        WHERE (holds.org_id, holds.sha256) > (:namespace, :sha256)
            AND NOT EXISTS (
                SELECT 1 FROM small_blobs AS small
                WHERE small.org_id = holds.org_id AND small.sha256 = holds.sha256 -- (sqlite)
                WHERE small.org_id = ANY (ARRAY[holds.org_id]) AND small.sha256 = ANY (ARRAY[holds.sha256]) -- (postgresql)
            )
        ORDER BY holds.org_id, holds.sha256
        LIMIT :limit
    ) AS of_holds
) AS referred
ORDER BY namespace, sha256
LIMIT :limit
