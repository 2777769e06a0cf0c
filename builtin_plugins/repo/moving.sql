-- name: keyed_row [part]
-- When it was changed stays as it was: its content is the same.
UPDATE objects SET key = :key, revision = revision + 1 WHERE id = :id AND org_id = :org_id

-- name: keyed_grants [part]
UPDATE object_grants SET key = :key WHERE object_id = :id AND org_id = :org_id

-- name: renamed_version [part]
UPDATE object_versions SET filename = :filename WHERE id = :version_id AND object_id = :id AND org_id = :org_id

-- name: move_object (sqlite) [quick]
-- use: keyed_row
;
-- use: keyed_grants
;
-- use: renamed_version

-- name: move_object (postgresql)
WITH keyed AS (
    -- use: keyed_row
),
given AS (
    -- use: keyed_grants
)
-- use: renamed_version
