-- name: insert_asset
INSERT INTO beta_assets (
    id, org_id, team_id, kind, content_type, filename, sha256, size, created_by, created_at, content
)
VALUES (
    :id, :org_id, :team_id, :kind, :content_type, :filename, :sha256, :size, :created_by, :now, :content
)

-- name: list_assets
SELECT id, kind, content_type, filename, sha256, size, created_by, created_at
FROM beta_assets
WHERE team_id = :team_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: asset_content
-- Public by design: whoever knows the id gets the bytes, and nothing about whose they are.
SELECT kind, content_type, filename, sha256, size, content FROM beta_assets WHERE id = :id

-- name: assets_named [quick]
SELECT id, kind FROM beta_assets WHERE team_id = :team_id AND id IN (:logo, :hero, :font)

-- name: delete_asset
DELETE FROM beta_assets WHERE id = :id AND team_id = :team_id RETURNING kind, size

-- name: move_to_team
UPDATE beta_assets SET team_id = :target WHERE team_id = :source AND org_id = :org_id
