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

-- name: in_order
-- A page by size, upwards; `sorting` spells it for the other orders. Each of its ways goes along an index of its own
-- in this order; those of a name are the keys' own.
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
