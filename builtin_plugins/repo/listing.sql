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

-- name: folded_page
-- Of all keys that share what stands up to the delimiter behind the prefix the first alone, and every key without
-- one: from each the statement leaps to the next by the indexes, and what it leaps over is not read. A step either
-- finds the next key from `at` on, or says where to go on behind a key. The arrays, and OFFSET,
-- keep PostgreSQL from reading all objects to find these.
WITH RECURSIVE steps (key, at, found) AS (
    SELECT CAST(NULL AS TEXT), :start, 0 -- (sqlite)
    SELECT CAST(NULL AS TEXT) COLLATE "C", CAST(:start AS TEXT) COLLATE "C", 0 -- (postgresql)
    UNION ALL
    SELECT
        CASE WHEN steps.key IS NULL THEN
            MIN( -- (sqlite)
            LEAST( -- (postgresql)
                COALESCE((
                    SELECT key FROM objects
                    WHERE CAST(:by_role AS INTEGER) = 1 AND team_id = :team_id AND visibility = 'team' AND present = 1
                        AND key >= steps.at AND key < :end AND (key > :start OR id > :after)
                    ORDER BY key, id LIMIT 1
                ), :end),
                COALESCE((
                    SELECT key FROM objects
                    WHERE CAST(:owned AS INTEGER) = 1 AND owner_id = :user_id AND team_id = :team_id AND present = 1
                        AND key >= steps.at AND key < :end AND (key > :start OR id > :after)
                    ORDER BY key, id LIMIT 1
                ), :end),
                COALESCE((
                    SELECT grants.key
                    FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
                    WHERE grants.principal_id = :user_id AND grants.org_id = :org_id AND grants.listed = 1
                        AND grants.key >= steps.at AND grants.key < :end
                        AND (grants.key > :start OR grants.object_id > :after)
                        AND objects.present = 1
                        -- use: given_and_valid
                    ORDER BY grants.key, grants.object_id LIMIT 1
                ), :end),
                COALESCE((
                    SELECT grants.key
                    FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
                    WHERE grants.principal_id = :my_team AND grants.org_id = :org_id AND grants.listed = 1
                        AND grants.key >= steps.at AND grants.key < :end
                        AND (grants.key > :start OR grants.object_id > :after)
                        AND objects.present = 1
                        -- use: given_and_valid
                    ORDER BY grants.key, grants.object_id LIMIT 1
                ), :end),
                COALESCE((
                    SELECT key FROM objects
                    WHERE CAST(:across_company AS INTEGER) = 1 AND org_id = :org_id AND visibility = 'team'
                        AND present = 1 AND key >= steps.at AND key < :end AND (key > :start OR id > :after)
                    ORDER BY key, id LIMIT 1
                ), :end)
            )
        END,
        CASE
            WHEN steps.key IS NULL THEN NULL
            WHEN INSTR(SUBSTR(steps.key, :behind_prefix), :delimiter) = 0 -- (sqlite)
            WHEN STRPOS(SUBSTR(steps.key, CAST(:behind_prefix AS INTEGER)), CAST(:delimiter AS TEXT)) = 0 -- (postgresql)
                THEN steps.key || CAST(:just_after AS TEXT)
            ELSE
                SUBSTR(
                    steps.key, 1,
                    CAST(:up_to_delimiter AS INTEGER)
                        + INSTR(SUBSTR(steps.key, :behind_prefix), :delimiter) -- (sqlite)
                        + STRPOS(SUBSTR(steps.key, CAST(:behind_prefix AS INTEGER)), CAST(:delimiter AS TEXT)) -- (postgresql)
                ) || CAST(:past_delimiter AS TEXT)
        END,
        steps.found + CASE WHEN steps.key IS NULL THEN 1 ELSE 0 END
    FROM steps
    WHERE (steps.key IS NULL AND steps.found < :limit) OR steps.key < :end
),
firsts AS MATERIALIZED (SELECT key FROM steps WHERE key < :end)
SELECT
    -- use: record_columns
FROM (
    SELECT objects.id FROM firsts CROSS JOIN objects -- (sqlite)
    SELECT found.id FROM firsts CROSS JOIN LATERAL (SELECT objects.id FROM objects -- (postgresql)
    WHERE CAST(:by_role AS INTEGER) = 1 AND objects.team_id = :team_id AND objects.visibility = 'team'
        AND objects.present = 1
        AND objects.key = firsts.key
    OFFSET 0) AS found -- (postgresql)
    UNION
    SELECT objects.id FROM firsts CROSS JOIN objects -- (sqlite)
    SELECT found.id FROM firsts CROSS JOIN LATERAL (SELECT objects.id FROM objects -- (postgresql)
    WHERE CAST(:owned AS INTEGER) = 1 AND objects.owner_id = :user_id AND objects.team_id = :team_id
        AND objects.present = 1
        AND objects.key = firsts.key
    OFFSET 0) AS found -- (postgresql)
    UNION
    SELECT objects.id FROM firsts CROSS JOIN object_grants AS grants CROSS JOIN objects -- (sqlite)
    SELECT found.id FROM firsts CROSS JOIN LATERAL ( -- (postgresql)
        SELECT objects.id FROM object_grants AS grants CROSS JOIN objects -- (postgresql)
    WHERE grants.principal_id = :user_id AND grants.org_id = :org_id AND grants.listed = 1
        AND grants.key = firsts.key
        AND objects.id = grants.object_id
        AND objects.present = 1
        -- use: given_and_valid
    OFFSET 0) AS found -- (postgresql)
    UNION
    SELECT objects.id FROM firsts CROSS JOIN object_grants AS grants CROSS JOIN objects -- (sqlite)
    SELECT found.id FROM firsts CROSS JOIN LATERAL ( -- (postgresql)
        SELECT objects.id FROM object_grants AS grants CROSS JOIN objects -- (postgresql)
    WHERE grants.principal_id = :my_team AND grants.org_id = :org_id AND grants.listed = 1
        AND grants.key = firsts.key
        AND objects.id = grants.object_id
        AND objects.present = 1
        -- use: given_and_valid
    OFFSET 0) AS found -- (postgresql)
    UNION
    SELECT objects.id FROM firsts CROSS JOIN objects -- (sqlite)
    SELECT found.id FROM firsts CROSS JOIN LATERAL (SELECT objects.id FROM objects -- (postgresql)
    WHERE CAST(:across_company AS INTEGER) = 1 AND objects.org_id = :org_id AND objects.visibility = 'team'
        AND objects.present = 1
        AND objects.key = firsts.key
    OFFSET 0) AS found -- (postgresql)
) AS page
JOIN objects ON objects.id = page.id -- (sqlite)
JOIN objects ON objects.id = ANY (ARRAY[page.id]) -- (postgresql)
JOIN object_versions AS versions ON versions.id = objects.newest_id -- (sqlite)
JOIN object_versions AS versions ON versions.id = ANY (ARRAY[objects.newest_id]) -- (postgresql)
JOIN published_people AS owners ON owners.id = objects.owner_id -- (sqlite)
JOIN published_people AS owners ON owners.id = ANY (ARRAY[objects.owner_id]) -- (postgresql)
LEFT JOIN object_grants AS mine ON mine.principal_id = :user_id
    AND mine.object_id = objects.id -- (sqlite)
    AND mine.object_id = ANY (ARRAY[objects.id]) -- (postgresql)
LEFT JOIN object_grants AS ours ON ours.principal_id = :my_team
    AND ours.object_id = objects.id -- (sqlite)
    AND ours.object_id = ANY (ARRAY[objects.id]) -- (postgresql)
WHERE objects.key > :start OR objects.id > :after
ORDER BY objects.key, objects.id

-- name: below_prefix [part]
-- With `flat`, what lies right below the prefix alone.
AND objects.key >= :start AND objects.key < :end
AND (
    CAST(:flat AS INTEGER) = 0
    OR INSTR(SUBSTR(objects.key, :behind_prefix), '/') = 0 -- (sqlite)
    OR STRPOS(SUBSTR(objects.key, CAST(:behind_prefix AS INTEGER)), '/') = 0 -- (postgresql)
)

-- name: given_to [part]
FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
WHERE CAST(:present AS INTEGER) = 1 AND grants.org_id = :org_id AND grants.listed = 1 AND objects.present = 1
    -- use: given_and_valid
    -- use: below_prefix

-- name: of_team [part]
-- What the team shows to itself; of somebody whose role does not read, what is theirs.
FROM objects
WHERE (CAST(:by_role AS INTEGER) = 1 OR (CAST(:owned AS INTEGER) = 1 AND owner_id = :user_id))
    AND team_id = :team_id AND visibility = 'team' AND present = :present AND vacant = 0
    -- use: below_prefix

-- name: own [part]
FROM objects
WHERE CAST(:owned AS INTEGER) = 1 AND owner_id = :user_id AND team_id = :team_id AND present = :present
    AND visibility <> 'team' AND vacant = 0
    -- use: below_prefix

-- name: of_company [part]
FROM objects
WHERE CAST(:across_company AS INTEGER) = 1 AND org_id = :org_id AND visibility = 'team' AND present = :present
    AND vacant = 0
    -- use: below_prefix

-- name: by_name_desc
-- The ways of `page`, each along an index of its own in this order; those of a name are the keys' own.
SELECT
    -- use: record_columns
FROM (
    SELECT id, position FROM (
        SELECT id, position FROM (
            SELECT objects.id, objects.key AS position
            -- use: of_team
                AND (objects.key, objects.id) < (:position, :last)
            ORDER BY objects.key DESC, objects.id DESC LIMIT :limit
        ) AS of_team
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.key AS position
            -- use: own
                AND (objects.key, objects.id) < (:position, :last)
            ORDER BY objects.key DESC, objects.id DESC LIMIT :limit
        ) AS own
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.key AS position
            -- use: given_to
                AND grants.principal_id = :user_id
                AND (objects.key, objects.id) < (:position, :last)
            ORDER BY objects.key DESC, objects.id DESC LIMIT :limit
        ) AS given_to_me
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.key AS position
            -- use: given_to
                AND grants.principal_id = :my_team
                AND (objects.key, objects.id) < (:position, :last)
            ORDER BY objects.key DESC, objects.id DESC LIMIT :limit
        ) AS given_to_us
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.key AS position
            -- use: of_company
                AND (objects.key, objects.id) < (:position, :last)
            ORDER BY objects.key DESC, objects.id DESC LIMIT :limit
        ) AS across
    ) AS seen
    ORDER BY position DESC, id DESC LIMIT :limit
) AS page
-- use: records_of_page
ORDER BY page.position DESC, page.id DESC

-- name: by_size_asc
SELECT
    -- use: record_columns
FROM (
    SELECT id, position FROM (
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: of_team
                AND (objects.size, objects.id) > (:position, :last)
            ORDER BY objects.size, objects.id LIMIT :limit
        ) AS of_team
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: own
                AND (objects.size, objects.id) > (:position, :last)
            ORDER BY objects.size, objects.id LIMIT :limit
        ) AS own
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: given_to
                AND grants.principal_id = :user_id
                AND (objects.size, objects.id) > (:position, :last)
            ORDER BY objects.size, objects.id LIMIT :limit
        ) AS given_to_me
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: given_to
                AND grants.principal_id = :my_team
                AND (objects.size, objects.id) > (:position, :last)
            ORDER BY objects.size, objects.id LIMIT :limit
        ) AS given_to_us
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: of_company
                AND (objects.size, objects.id) > (:position, :last)
            ORDER BY objects.size, objects.id LIMIT :limit
        ) AS across
    ) AS seen
    ORDER BY position, id LIMIT :limit
) AS page
-- use: records_of_page
ORDER BY page.position, page.id

-- name: by_size_desc
SELECT
    -- use: record_columns
FROM (
    SELECT id, position FROM (
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: of_team
                AND (objects.size, objects.id) < (:position, :last)
            ORDER BY objects.size DESC, objects.id DESC LIMIT :limit
        ) AS of_team
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: own
                AND (objects.size, objects.id) < (:position, :last)
            ORDER BY objects.size DESC, objects.id DESC LIMIT :limit
        ) AS own
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: given_to
                AND grants.principal_id = :user_id
                AND (objects.size, objects.id) < (:position, :last)
            ORDER BY objects.size DESC, objects.id DESC LIMIT :limit
        ) AS given_to_me
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: given_to
                AND grants.principal_id = :my_team
                AND (objects.size, objects.id) < (:position, :last)
            ORDER BY objects.size DESC, objects.id DESC LIMIT :limit
        ) AS given_to_us
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.size AS position
            -- use: of_company
                AND (objects.size, objects.id) < (:position, :last)
            ORDER BY objects.size DESC, objects.id DESC LIMIT :limit
        ) AS across
    ) AS seen
    ORDER BY position DESC, id DESC LIMIT :limit
) AS page
-- use: records_of_page
ORDER BY page.position DESC, page.id DESC

-- name: by_updated_asc
SELECT
    -- use: record_columns
FROM (
    SELECT id, position FROM (
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: of_team
                AND (objects.updated_at, objects.id) > (:position, :last)
            ORDER BY objects.updated_at, objects.id LIMIT :limit
        ) AS of_team
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: own
                AND (objects.updated_at, objects.id) > (:position, :last)
            ORDER BY objects.updated_at, objects.id LIMIT :limit
        ) AS own
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: given_to
                AND grants.principal_id = :user_id
                AND (objects.updated_at, objects.id) > (:position, :last)
            ORDER BY objects.updated_at, objects.id LIMIT :limit
        ) AS given_to_me
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: given_to
                AND grants.principal_id = :my_team
                AND (objects.updated_at, objects.id) > (:position, :last)
            ORDER BY objects.updated_at, objects.id LIMIT :limit
        ) AS given_to_us
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: of_company
                AND (objects.updated_at, objects.id) > (:position, :last)
            ORDER BY objects.updated_at, objects.id LIMIT :limit
        ) AS across
    ) AS seen
    ORDER BY position, id LIMIT :limit
) AS page
-- use: records_of_page
ORDER BY page.position, page.id

-- name: by_updated_desc
SELECT
    -- use: record_columns
FROM (
    SELECT id, position FROM (
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: of_team
                AND (objects.updated_at, objects.id) < (:position, :last)
            ORDER BY objects.updated_at DESC, objects.id DESC LIMIT :limit
        ) AS of_team
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: own
                AND (objects.updated_at, objects.id) < (:position, :last)
            ORDER BY objects.updated_at DESC, objects.id DESC LIMIT :limit
        ) AS own
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: given_to
                AND grants.principal_id = :user_id
                AND (objects.updated_at, objects.id) < (:position, :last)
            ORDER BY objects.updated_at DESC, objects.id DESC LIMIT :limit
        ) AS given_to_me
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: given_to
                AND grants.principal_id = :my_team
                AND (objects.updated_at, objects.id) < (:position, :last)
            ORDER BY objects.updated_at DESC, objects.id DESC LIMIT :limit
        ) AS given_to_us
        UNION
        SELECT id, position FROM (
            SELECT objects.id, objects.updated_at AS position
            -- use: of_company
                AND (objects.updated_at, objects.id) < (:position, :last)
            ORDER BY objects.updated_at DESC, objects.id DESC LIMIT :limit
        ) AS across
    ) AS seen
    ORDER BY position DESC, id DESC LIMIT :limit
) AS page
-- use: records_of_page
ORDER BY page.position DESC, page.id DESC
