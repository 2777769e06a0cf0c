-- name: next_key [part]
AND key >= steps.at AND key < :end AND (key > :start OR id > :after)
ORDER BY key, id LIMIT 1

-- name: next_given_key [part]
SELECT grants.key
FROM object_grants AS grants JOIN objects ON objects.id = grants.object_id
WHERE grants.org_id = :org_id AND grants.listed = 1
    AND grants.key >= steps.at AND grants.key < :end
    AND (grants.key > :start OR grants.object_id > :after)
    AND objects.present = 1
    -- use: given_and_valid

-- name: firsts_among [part]
SELECT objects.id FROM firsts CROSS JOIN objects -- (sqlite)
SELECT found.id FROM firsts CROSS JOIN LATERAL (SELECT objects.id FROM objects -- (postgresql)
WHERE objects.key = firsts.key AND objects.present = 1

-- name: given_firsts [part]
SELECT objects.id FROM firsts CROSS JOIN object_grants AS grants CROSS JOIN objects -- (sqlite)
SELECT found.id FROM firsts CROSS JOIN LATERAL ( -- (postgresql)
    SELECT objects.id FROM object_grants AS grants CROSS JOIN objects -- (postgresql)
WHERE grants.org_id = :org_id AND grants.listed = 1
    AND grants.key = firsts.key
    AND objects.id = grants.object_id
    AND objects.present = 1
    -- use: given_and_valid

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
                        -- use: next_key
                ), :end),
                COALESCE((
                    SELECT key FROM objects
                    WHERE CAST(:owned AS INTEGER) = 1 AND owner_id = :user_id AND team_id = :team_id AND present = 1
                        -- use: next_key
                ), :end),
                COALESCE((
                    -- use: next_given_key
                        AND grants.principal_id = :user_id
                    ORDER BY grants.key, grants.object_id LIMIT 1
                ), :end),
                COALESCE((
                    -- use: next_given_key
                        AND grants.principal_id = :my_team
                    ORDER BY grants.key, grants.object_id LIMIT 1
                ), :end),
                COALESCE((
                    SELECT key FROM objects
                    WHERE CAST(:across_company AS INTEGER) = 1 AND org_id = :org_id AND visibility = 'team'
                        AND present = 1
                        -- use: next_key
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
    -- use: firsts_among
        AND CAST(:by_role AS INTEGER) = 1 AND objects.team_id = :team_id AND objects.visibility = 'team'
    OFFSET 0) AS found -- (postgresql)
    UNION
    -- use: firsts_among
        AND CAST(:owned AS INTEGER) = 1 AND objects.owner_id = :user_id AND objects.team_id = :team_id
    OFFSET 0) AS found -- (postgresql)
    UNION
    -- use: given_firsts
        AND grants.principal_id = :user_id
    OFFSET 0) AS found -- (postgresql)
    UNION
    -- use: given_firsts
        AND grants.principal_id = :my_team
    OFFSET 0) AS found -- (postgresql)
    UNION
    -- use: firsts_among
        AND CAST(:across_company AS INTEGER) = 1 AND objects.org_id = :org_id AND objects.visibility = 'team'
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
