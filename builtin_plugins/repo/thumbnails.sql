-- name: kept [quick]
SELECT content FROM thumbnails
WHERE object_id = :object_id AND size = :size AND version_id = :version_id AND org_id = :org_id

-- name: store
-- Of the newest version alone, in place of the one before. A version that is deleted meanwhile takes it along.
INSERT INTO thumbnails (object_id, size, version_id, org_id, content)
SELECT :object_id, :size, :version_id, :org_id, :content -- (sqlite)
SELECT CAST(:object_id AS TEXT), CAST(:size AS INTEGER), CAST(:version_id AS TEXT), CAST(:org_id AS TEXT), CAST(:content AS BYTEA) -- (postgresql)
FROM object_versions AS versions
WHERE versions.id = :version_id AND versions.object_id = :object_id AND versions.org_id = :org_id
    AND versions.old_in IS NULL
FOR KEY SHARE -- (postgresql)
ON CONFLICT (object_id, size) DO UPDATE SET version_id = excluded.version_id, content = excluded.content
