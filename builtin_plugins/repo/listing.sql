-- name: version_columns [part]
objects.id, objects.org_id, objects.team_id, objects.key, objects.owner_id, objects.visibility,
objects.revision, objects.last_number, objects.newest_id, objects.text_status, objects.created_at,
objects.updated_at, owners.display_name AS owner_name,
versions.id AS version_id, versions.number, versions.marker, versions.sha256, versions.size,
versions.etag, versions.content_type, versions.filename, versions.title, versions.attributes,
versions.created_at AS version_created_at, versions.created_by

-- name: record_columns [part]
-- A version with what was given of its object to the caller and to their team.
-- use: version_columns
, mine.principal_id AS user_grantee, mine.capability AS user_capability, mine.expires_at AS user_until,
ours.principal_id AS team_grantee, ours.capability AS team_capability, ours.expires_at AS team_until

-- name: records_of_page [part]
-- The objects of a page, each with its newest version.
JOIN objects ON objects.id = page.id
JOIN object_versions AS versions ON versions.id = objects.newest_id
JOIN published_people AS owners ON owners.id = objects.owner_id
LEFT JOIN object_grants AS mine ON mine.object_id = objects.id AND mine.principal_id = :user_id
LEFT JOIN object_grants AS ours ON ours.object_id = objects.id AND ours.principal_id = :my_team

-- name: records_by_key [part]
-- use: records_of_page
ORDER BY objects.key, objects.id

-- name: keys_of_page [part]
AND key >= :start AND key < :end AND (key > :start OR id > :after)
ORDER BY key, id LIMIT :limit

-- name: given_and_valid [part]
-- What was given in the teams that are listed, has not ended, and is not private.
AND (CAST(:anywhere AS INTEGER) = 1 OR grants.team_id = :team_id)
AND (grants.expires_at IS NULL OR grants.expires_at > :now)
AND objects.visibility <> 'private'
AND (CAST(:not_owned AS INTEGER) = 0 OR objects.owner_id <> :user_id)

-- name: given_keys_of_page [part]
AND grants.key >= :start AND grants.key < :end
AND (grants.key > :start OR grants.object_id > :after)
-- use: given_and_valid
ORDER BY grants.key, grants.object_id LIMIT :limit

-- name: page
-- Five ways to see an object, each a walk along its own index; the first of them all make the page.
SELECT
    -- use: record_columns
FROM (
    SELECT id, key FROM (
        SELECT id, key FROM (
            SELECT id, key FROM objects
            WHERE CAST(:by_role AS INTEGER) = 1 AND team_id = :team_id AND visibility = 'team' AND present = 1
                -- use: keys_of_page
        ) AS of_team
        UNION
        SELECT id, key FROM (
            SELECT id, key FROM objects
            WHERE CAST(:owned AS INTEGER) = 1 AND owner_id = :user_id AND team_id = :team_id AND present = 1
                -- use: keys_of_page
        ) AS own
        UNION
        SELECT id, key FROM (
            SELECT objects.id, grants.key
            FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
            WHERE grants.principal_id = :user_id AND grants.org_id = :org_id AND grants.listed = 1
                AND objects.present = 1
                -- use: given_keys_of_page
        ) AS given_to_me
        UNION
        SELECT id, key FROM (
            SELECT objects.id, grants.key
            FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
            WHERE grants.principal_id = :my_team AND grants.org_id = :org_id AND grants.listed = 1
                AND objects.present = 1
                -- use: given_keys_of_page
        ) AS given_to_us
        UNION
        SELECT id, key FROM (
            SELECT id, key FROM objects
            WHERE CAST(:across_company AS INTEGER) = 1 AND org_id = :org_id AND visibility = 'team' AND present = 1
                -- use: keys_of_page
        ) AS of_company
    ) AS seen
    ORDER BY key, id LIMIT :limit
) AS page
-- use: records_by_key

-- name: deleted_page
-- What has a delete marker on top and content below it, of the team's and of the caller's own.
SELECT
    -- use: record_columns
FROM (
    SELECT id, key FROM (
        SELECT id, key FROM (
            SELECT id, key
            FROM objects INDEXED BY objects_deleted_of_team -- (sqlite)
            FROM objects -- (postgresql)
            WHERE CAST(:by_role AS INTEGER) = 1 AND team_id = :team_id AND visibility = 'team' AND present = 0
                AND vacant = 0
                -- use: keys_of_page
        ) AS of_team
        UNION
        SELECT id, key FROM (
            SELECT id, key
            FROM objects INDEXED BY objects_deleted_of_owner -- (sqlite)
            FROM objects -- (postgresql)
            WHERE CAST(:owned AS INTEGER) = 1 AND owner_id = :user_id AND team_id = :team_id AND present = 0
                AND vacant = 0
                -- use: keys_of_page
        ) AS own
    ) AS seen
    ORDER BY key, id LIMIT :limit
) AS page
-- use: records_by_key

-- name: versions_page
-- Every version of the objects that can be seen, delete markers too, by key and then newest first. At the
-- first key it begins below `:below`, and of none it reads more than a page. What is there and what was deleted are walked apart, as the indexes are.
SELECT
    -- use: version_columns
FROM (
    SELECT id, key FROM (
        SELECT id, key FROM (
            SELECT id, key FROM objects
            WHERE CAST(:by_role AS INTEGER) = 1 AND team_id = :team_id AND visibility = 'team' AND present = 1
                -- use: keys_of_page
        ) AS of_team
        UNION
        SELECT id, key FROM (
            SELECT id, key FROM objects
            WHERE CAST(:by_role AS INTEGER) = 1 AND team_id = :team_id AND visibility = 'team' AND present = 0
                -- use: keys_of_page
        ) AS deleted_of_team
        UNION
        SELECT id, key FROM (
            SELECT id, key FROM objects
            WHERE CAST(:owned AS INTEGER) = 1 AND owner_id = :user_id AND team_id = :team_id AND present = 1
                -- use: keys_of_page
        ) AS own
        UNION
        SELECT id, key FROM (
            SELECT id, key FROM objects
            WHERE CAST(:owned AS INTEGER) = 1 AND owner_id = :user_id AND team_id = :team_id AND present = 0
                -- use: keys_of_page
        ) AS own_deleted
        UNION
        SELECT id, key FROM (
            SELECT objects.id, grants.key
            FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
            WHERE grants.principal_id = :user_id AND grants.org_id = :org_id AND grants.listed = 1
                -- use: given_keys_of_page
        ) AS given_to_me
        UNION
        SELECT id, key FROM (
            SELECT objects.id, grants.key
            FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
            WHERE grants.principal_id = :user_id AND grants.org_id = :org_id AND grants.listed = 0
                -- use: given_keys_of_page
        ) AS deleted_given_to_me
        UNION
        SELECT id, key FROM (
            SELECT objects.id, grants.key
            FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
            WHERE grants.principal_id = :my_team AND grants.org_id = :org_id AND grants.listed = 1
                -- use: given_keys_of_page
        ) AS given_to_us
        UNION
        SELECT id, key FROM (
            SELECT objects.id, grants.key
            FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
            WHERE grants.principal_id = :my_team AND grants.org_id = :org_id AND grants.listed = 0
                -- use: given_keys_of_page
        ) AS deleted_given_to_us
    ) AS seen
    ORDER BY key, id LIMIT :limit
) AS page
JOIN objects ON objects.id = page.id
JOIN object_versions AS versions ON versions.id IN ( -- (sqlite)
CROSS JOIN LATERAL ( -- (postgresql)
    SELECT id -- (sqlite)
    SELECT * -- (postgresql)
    FROM object_versions
    WHERE object_id = objects.id
        AND number < CASE WHEN objects.key > :start THEN CAST(:above_all AS BIGINT) ELSE CAST(:below AS BIGINT) END
    ORDER BY number DESC LIMIT :limit
) -- (sqlite)
) AS versions -- (postgresql)
JOIN published_people AS owners ON owners.id = objects.owner_id
ORDER BY objects.key, versions.number DESC
LIMIT :limit - 1

-- name: number_below
-- Where a list of versions goes on below a version, whether or not that is still there.
SELECT CASE
    WHEN EXISTS (
        SELECT 1 FROM object_versions WHERE id = :version_id AND object_id = :id
    ) THEN (SELECT number FROM object_versions WHERE id = :version_id AND object_id = :id)
    ELSE (
        SELECT COALESCE(MAX(number), 0) + 1 FROM object_versions WHERE object_id = :id AND id < :version_id
    )
END

-- name: documents
-- The text documents that the caller can read, newest first.
SELECT
    -- use: record_columns
FROM (
    SELECT id FROM (
        SELECT id FROM (
            SELECT id FROM objects
            WHERE document = 1 AND team_id = :team_id AND visibility = 'team' AND present = 1 AND id < :before
            ORDER BY id DESC LIMIT :limit
        ) AS of_team
        UNION
        SELECT id FROM (
            SELECT id FROM objects
            WHERE document = 1 AND owner_id = :user_id AND team_id = :team_id AND present = 1 AND id < :before
            ORDER BY id DESC LIMIT :limit
        ) AS own
        UNION
        SELECT id FROM (
            SELECT objects.id
            FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
            WHERE grants.principal_id = :user_id AND grants.org_id = :org_id AND grants.listed = 1
                AND grants.object_id < :before AND (grants.expires_at IS NULL OR grants.expires_at > :now)
                AND objects.visibility <> 'private' AND objects.present = 1 AND objects.document = 1
            ORDER BY grants.object_id DESC LIMIT :limit
        ) AS given_to_me
        UNION
        SELECT id FROM (
            SELECT objects.id
            FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
            WHERE grants.principal_id = :team_id AND grants.org_id = :org_id AND grants.listed = 1
                AND grants.object_id < :before AND (grants.expires_at IS NULL OR grants.expires_at > :now)
                AND objects.visibility <> 'private' AND objects.present = 1 AND objects.document = 1
            ORDER BY grants.object_id DESC LIMIT :limit
        ) AS given_to_us
    ) AS seen
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN objects ON objects.id = page.id
JOIN object_versions AS versions ON versions.id = objects.newest_id
JOIN published_people AS owners ON owners.id = objects.owner_id
LEFT JOIN object_grants AS mine ON mine.object_id = objects.id AND mine.principal_id = :user_id
LEFT JOIN object_grants AS ours ON ours.object_id = objects.id AND ours.principal_id = :team_id
ORDER BY objects.id DESC
