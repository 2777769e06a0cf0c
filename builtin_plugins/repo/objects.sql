-- name: columns [part]
objects.id, objects.org_id, objects.team_id, objects.key, objects.owner_id, objects.visibility,
objects.revision, objects.last_number, objects.newest_id, objects.text_status, objects.created_at,
objects.updated_at, owners.display_name AS owner_name,
versions.id AS version_id, versions.number, versions.marker, versions.sha256, versions.size,
versions.etag, versions.content_type, versions.filename, versions.title, versions.attributes,
versions.created_at AS version_created_at, versions.created_by

-- name: given_columns [part]
mine.principal_id AS user_grantee, mine.capability AS user_capability, mine.expires_at AS user_until,
ours.principal_id AS team_grantee, ours.capability AS team_capability, ours.expires_at AS team_until,
-- use: columns

-- name: given [part]
-- An object with its newest version, and what the caller was given on it; the service judges the rest.
FROM objects
JOIN object_versions AS versions ON versions.id = objects.newest_id
JOIN published_people AS owners ON owners.id = objects.owner_id
LEFT JOIN object_grants AS mine ON mine.object_id = objects.id AND mine.principal_id = :user_id
LEFT JOIN object_grants AS ours ON ours.object_id = objects.id AND ours.principal_id = :my_team

-- name: by_key [quick]
SELECT
    -- use: given_columns
-- use: given
WHERE objects.team_id = :team_id AND objects.key = :key AND objects.org_id = :org_id

-- name: by_key_with_content [quick]
SELECT
    small.content,
    -- use: given_columns
-- use: given
LEFT JOIN small_blobs AS small ON small.org_id = versions.org_id AND small.sha256 = versions.sha256
WHERE objects.team_id = :team_id AND objects.key = :key AND objects.org_id = :org_id

-- name: by_id [quick]
SELECT
    -- use: given_columns
-- use: given
WHERE objects.id = :id AND objects.org_id = :org_id

-- name: version_by_number [quick]
SELECT
    -- use: columns
FROM objects
JOIN object_versions AS versions ON versions.object_id = objects.id
JOIN published_people AS owners ON owners.id = objects.owner_id
WHERE objects.id = :id AND objects.org_id = :org_id AND versions.number = :number

-- name: version_by_id [quick]
SELECT
    -- use: columns
FROM object_versions AS versions
JOIN objects ON objects.id = versions.object_id
JOIN published_people AS owners ON owners.id = objects.owner_id
WHERE versions.id = :version_id AND objects.id = :id AND objects.org_id = :org_id

-- name: newest_version [quick]
SELECT
    -- use: columns
FROM objects
JOIN object_versions AS versions ON versions.object_id = objects.id
JOIN published_people AS owners ON owners.id = objects.owner_id
WHERE objects.id = :id AND objects.org_id = :org_id
ORDER BY versions.number DESC
LIMIT 1

-- name: versions_of
SELECT
    -- use: columns
FROM objects
JOIN object_versions AS versions ON versions.object_id = objects.id AND versions.marker = 0
JOIN published_people AS owners ON owners.id = objects.owner_id
WHERE objects.id = :id AND objects.org_id = :org_id
ORDER BY versions.number DESC
LIMIT :limit

-- name: versions_of_many
-- The newest few of each of several objects.
SELECT
    -- use: columns
FROM json_each(:ids) AS wanted -- (sqlite)
FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) AS wanted (value) -- (postgresql)
JOIN objects ON objects.id = wanted.value
JOIN object_versions AS versions ON versions.object_id = objects.id AND versions.marker = 0
    AND versions.number IN (
        SELECT number FROM object_versions AS newest
        WHERE newest.object_id = objects.id AND newest.marker = 0
        ORDER BY number DESC LIMIT :max_rows
    )
JOIN published_people AS owners ON owners.id = objects.owner_id
WHERE objects.org_id = :org_id
ORDER BY versions.object_id, versions.number DESC

-- name: content_row [part]
-- Bytes that live in the database, if there are any; those that are there already stay, unless they went bad.
INSERT INTO small_blobs (org_id, sha256, content)
SELECT :org_id, :sha256, :content WHERE :content IS NOT NULL -- (sqlite)
SELECT :org_id, :sha256, CAST(:content AS BYTEA) WHERE CAST(:content AS BYTEA) IS NOT NULL -- (postgresql)
ON CONFLICT (org_id, sha256) DO UPDATE SET content = excluded.content
WHERE small_blobs.content <> excluded.content

-- name: object_row [part]
INSERT INTO objects (
    id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id, present, document,
    text_status, created_at, updated_at, size
)
VALUES (
    :object_id, :org_id, :team_id, :owner_id, :key, :visibility, 1, 1, :version_id, 1, :document,
    :text_status, :now, :now, :size
)

-- name: version_row [part]
INSERT INTO object_versions (
    id, object_id, org_id, number, marker, sha256, size, etag, content_type, filename, title, attributes,
    created_at, created_by
)
VALUES (
    :version_id, :object_id, :org_id, :number, :marker, :sha256, :size, :etag, :content_type, :filename,
    CAST(:title AS TEXT), :attributes, :now, :created_by
)

-- name: newest_row [part]
-- Makes a version the newest: one that was just added, or an older one when those above it went.
UPDATE objects
SET newest_id = :version_id,
    last_number = CASE WHEN last_number < :number THEN :number ELSE last_number END,
    present = :present,
    vacant = CASE WHEN :present = 1 THEN 0 ELSE vacant END,
    document = :document,
    size = :size,
    visibility = :visibility,
    text_status = :text_status,
    revision = revision + 1,
    updated_at = :now
WHERE id = :object_id AND org_id = :org_id

-- name: old_row [part]
-- A version that was the newest until now.
UPDATE object_versions SET old_in = :team_id, old_since = :now
WHERE id = :old_id AND object_id = :object_id AND org_id = :org_id

-- name: create_object (sqlite) [quick]
-- use: content_row
;
-- use: object_row
;
-- use: version_row

-- name: create_object (postgresql)
WITH content AS (
    -- use: content_row
),
created AS (
    -- use: object_row
)
-- use: version_row

-- name: add_version (sqlite) [quick]
-- use: content_row
;
-- use: version_row
;
-- use: old_row
;
-- use: newest_row

-- name: add_version (postgresql)
WITH content AS (
    -- use: content_row
),
added AS (
    -- use: version_row
),
superseded AS (
    -- use: old_row
)
-- use: newest_row

-- name: insert_version [quick]
-- use: version_row

-- name: point_at [quick]
-- use: newest_row

-- name: supersede [quick]
-- use: old_row

-- name: uncover [quick]
-- A version that is the newest again.
UPDATE object_versions SET old_in = NULL, old_since = NULL
WHERE id = :version_id AND object_id = :id AND org_id = :org_id

-- name: vacate [quick]
UPDATE objects SET vacant = 1
WHERE id = :id AND org_id = :org_id AND present = 0
    AND NOT EXISTS (SELECT 1 FROM object_versions WHERE object_id = :id AND marker = 0)

-- name: touch
UPDATE objects SET revision = revision + 1, updated_at = :now WHERE id = :id AND org_id = :org_id

-- name: set_visibility
UPDATE objects
SET visibility = :visibility, revision = revision + 1, updated_at = :now
WHERE id = :id AND org_id = :org_id

-- name: set_attributes
UPDATE object_versions SET attributes = :attributes
WHERE id = :version_id AND object_id = :id AND org_id = :org_id AND marker = 0
RETURNING id

-- name: bytes_of
SELECT sha256, size FROM object_versions WHERE object_id = :id AND org_id = :org_id AND marker = 0

-- name: delete_object
DELETE FROM objects WHERE id = :id AND org_id = :org_id

-- name: delete_version
DELETE FROM object_versions WHERE id = :version_id AND object_id = :id AND org_id = :org_id

-- name: delete_markers_on_top
-- Those above the newest content, but for the newest of all.
DELETE FROM object_versions
WHERE object_id = :id AND org_id = :org_id AND marker = 1 AND id <> :newest_id
    AND number > (SELECT MAX(below.number) FROM object_versions AS below WHERE below.object_id = :id AND below.marker = 0)

-- name: count_objects
SELECT COUNT(*) FROM objects WHERE present = 1

-- name: insert_deleted_object [quick]
-- A key that never was: a delete marker is the first version.
INSERT INTO objects (
    id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id, present, vacant, document,
    text_status, created_at, updated_at
)
VALUES (
    :id, :org_id, :team_id, :owner_id, :key, 'team', 1, 1, :newest_id, 0, 1, 0, 'none', :now, :now
)

-- name: any_content [quick]
SELECT 1 FROM object_versions WHERE object_id = :id AND org_id = :org_id AND marker = 0 LIMIT 1

-- name: take_over [quick]
-- The owner of what is written above nothing but delete markers.
UPDATE objects SET owner_id = :owner_id, created_at = :now WHERE id = :id AND org_id = :org_id

-- name: held_by_team
SELECT id FROM objects WHERE team_id = :team_id AND present = 1 LIMIT 1

-- name: clashing_key (sqlite)
-- What is taken there goes into a folder; this is one that is taken there too, or too long.
SELECT here.key FROM objects AS here
WHERE here.team_id = :source AND here.org_id = :org_id
    AND EXISTS (SELECT 1 FROM objects AS there WHERE there.team_id = :target AND there.key = here.key)
    AND (
        LENGTH(CAST(CAST(:folder AS TEXT) || here.key AS BLOB)) > :longest
        OR EXISTS (
            SELECT 1 FROM objects AS other
            WHERE other.team_id IN (:source, :target) AND other.key = CAST(:folder AS TEXT) || here.key
        )
    )
LIMIT 1

-- name: clashing_key (postgresql)
SELECT here.key FROM objects AS here
WHERE here.team_id = :source AND here.org_id = :org_id
    AND EXISTS (SELECT 1 FROM objects AS there WHERE there.team_id = :target AND there.key = here.key)
    AND (
        OCTET_LENGTH(CAST(:folder AS TEXT) || here.key) > :longest
        OR EXISTS (
            SELECT 1 FROM objects AS other
            WHERE other.team_id IN (:source, :target) AND other.key = CAST(:folder AS TEXT) || here.key
        )
    )
LIMIT 1

-- name: move_objects
UPDATE objects SET
    team_id = :target,
    key = CASE
        WHEN EXISTS (SELECT 1 FROM objects AS there WHERE there.team_id = :target AND there.key = objects.key)
            THEN CAST(:folder AS TEXT) || key
        ELSE key
    END,
    revision = revision + 1
WHERE team_id = :source AND org_id = :org_id

-- name: move_old_versions
UPDATE object_versions SET old_in = :target WHERE old_in = :source AND org_id = :org_id

-- name: move_grants
UPDATE object_grants SET
    team_id = :target, key = (SELECT objects.key FROM objects WHERE objects.id = object_grants.object_id)
WHERE team_id = :source AND object_id IN (SELECT id FROM objects WHERE team_id = :target AND org_id = :org_id)

-- name: drop_double_grants
DELETE FROM object_grants
WHERE principal_type = 'team' AND principal_id = :source AND org_id = :org_id
    AND EXISTS (
        SELECT 1 FROM object_grants AS other
        WHERE other.object_id = object_grants.object_id AND other.principal_id = :target
    )

-- name: move_given
UPDATE object_grants SET principal_id = :target
WHERE principal_type = 'team' AND principal_id = :source AND org_id = :org_id

-- name: drop_lifecycle
DELETE FROM repo_lifecycles WHERE team_id = :source AND org_id = :org_id
