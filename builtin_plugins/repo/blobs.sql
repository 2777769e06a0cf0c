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
DELETE FROM blob_releases WHERE (org_id, sha256) IN (
    SELECT org_id, sha256 FROM blob_releases WHERE deleted_at < :before ORDER BY deleted_at LIMIT :limit
)
RETURNING sha256

-- name: pending_releases
SELECT org_id, sha256 FROM blob_releases WHERE deleted_at IS NULL ORDER BY org_id, sha256 LIMIT :limit

-- name: hold
INSERT INTO blob_holds (org_id, holder, sha256) VALUES (:org_id, :holder, :sha256)
ON CONFLICT (org_id, holder, sha256) DO NOTHING

-- name: let_go
DELETE FROM blob_holds WHERE org_id = :org_id AND holder = :holder RETURNING sha256

-- name: known_org [quick]
SELECT id FROM published_companies WHERE id = :org_id

-- name: claim_sweep
-- One process a day.
INSERT INTO blob_sweeps (name, swept_at) VALUES ('orphans', :now)
ON CONFLICT (name) DO UPDATE SET swept_at = excluded.swept_at WHERE blob_sweeps.swept_at < :before
RETURNING swept_at

-- name: references
-- To what the blob store has to have: small ones lie in the database.
SELECT org_id AS namespace, sha256 FROM (
    SELECT org_id, sha256 FROM object_versions WHERE marker = 0
    UNION
    SELECT org_id, sha256 FROM blob_holds
) AS referred
WHERE (org_id, sha256) > (:namespace, :sha256)
    AND NOT EXISTS (
        SELECT 1 FROM small_blobs AS small
        WHERE small.org_id = referred.org_id AND small.sha256 = referred.sha256
    )
ORDER BY org_id, sha256
LIMIT :limit
