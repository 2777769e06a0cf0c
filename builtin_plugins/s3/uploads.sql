-- name: insert_upload
INSERT INTO s3_uploads (
    id, org_id, team_id, user_id, key, described, counted, ended, held, created_at, touched_at
)
VALUES (:id, :org_id, :team_id, :user_id, :key, :described, 0, 0, 0, :now, :now)

-- name: upload [quick]
SELECT id, org_id, team_id, user_id, key, described, counted, ended, version_id, etag, checksum,
    created_at, assembling_until
FROM s3_uploads
WHERE id = :id AND team_id = :team_id AND user_id = :user_id AND key = :key AND org_id = :org_id

-- name: open_uploads
-- By key, and within a key as they began: from `at_least` on, or after one of that key.
SELECT id, key, described, created_at
FROM s3_uploads
WHERE team_id = :team_id AND user_id = :user_id AND org_id = :org_id AND ended = 0
    AND (key, id) > (:at_least, :after_id) AND key < :below
ORDER BY key, id
LIMIT :limit

-- name: part_digest [quick]
SELECT sha256 FROM s3_parts WHERE upload_id = :upload_id AND org_id = :org_id AND number = :number

-- name: put_part
INSERT INTO s3_parts (upload_id, org_id, number, sha256, size, md5, checksum, created_at)
VALUES (:upload_id, :org_id, :number, :sha256, :size, :md5, CAST(:checksum AS TEXT), :now)
ON CONFLICT (upload_id, number) DO UPDATE SET
    sha256 = excluded.sha256, size = excluded.size, md5 = excluded.md5, checksum = excluded.checksum,
    created_at = excluded.created_at

-- name: count_bytes
UPDATE s3_uploads SET counted = counted + :size, held = 1, touched_at = :now
WHERE id = :id AND org_id = :org_id

-- name: take_turn
UPDATE s3_uploads SET assembling_until = :until
WHERE id = :id AND org_id = :org_id AND ended = 0 AND assembling_until <= :now
RETURNING id

-- name: set_turn
UPDATE s3_uploads SET assembling_until = :until WHERE id = :id AND org_id = :org_id

-- name: parts_of
SELECT number, sha256, size, md5, checksum, created_at
FROM s3_parts
WHERE upload_id = :upload_id AND org_id = :org_id AND number > :marker
ORDER BY number
LIMIT :limit

-- name: count_parts
SELECT COUNT(*) FROM s3_parts WHERE upload_id = :upload_id AND org_id = :org_id

-- name: drop_parts
DELETE FROM s3_parts WHERE upload_id = :upload_id AND org_id = :org_id

-- name: end_upload
UPDATE s3_uploads
SET ended = 1, counted = 0, touched_at = :now,
    version_id = CAST(:version_id AS TEXT), etag = CAST(:etag AS TEXT), checksum = CAST(:checksum AS TEXT)
WHERE id = :id AND org_id = :org_id

-- name: forget_holds
UPDATE s3_uploads SET held = 0 WHERE id = :id AND org_id = :org_id AND ended = 1

-- name: delete_aborted
DELETE FROM s3_uploads
WHERE id = :id AND org_id = :org_id AND ended = 1 AND held = 0 AND version_id IS NULL

-- name: unreleased
-- Ended, and nobody lived to let their bytes go.
SELECT id, org_id, version_id FROM s3_uploads
WHERE ended = 1 AND held = 1 AND touched_at < :before
ORDER BY touched_at
LIMIT :limit

-- name: forget_completed
DELETE FROM s3_uploads WHERE id IN (
    SELECT id FROM s3_uploads WHERE ended = 1 AND held = 0 AND touched_at < :before
    ORDER BY touched_at LIMIT :limit
)
RETURNING id

-- name: abandoned
SELECT id, org_id, team_id FROM s3_uploads
WHERE ended = 0 AND touched_at < :before
ORDER BY touched_at
LIMIT :limit

-- name: abandoned_still
SELECT counted FROM s3_uploads
WHERE id = :id AND org_id = :org_id AND ended = 0 AND touched_at < :before

-- name: count_open
SELECT COUNT(*) FROM s3_uploads WHERE ended = 0

-- name: move_to_team
UPDATE s3_uploads SET team_id = :target WHERE team_id = :source AND org_id = :org_id
