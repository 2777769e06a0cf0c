-- name: readable
SELECT 1 FROM objects
WHERE objects.id = hit.ref_id AND objects.org_id = :org_id AND objects.present = 1
    AND (
        (
            objects.team_id = :team_id
            AND (objects.owner_id = :user_id OR (objects.visibility = 'team' AND CAST(:by_role AS INTEGER) = 1))
        )
        OR (
            objects.visibility <> 'private'
            AND EXISTS (
                SELECT 1 FROM object_grants AS grants
                WHERE grants.object_id = objects.id AND grants.principal_id IN (:user_id, :team_id)
                    AND (grants.expires_at IS NULL OR grants.expires_at > :now)
            )
        )
    )

-- name: readable_in_org
SELECT 1 FROM objects
WHERE objects.id = hit.ref_id AND objects.org_id = :org_id AND objects.present = 1
    AND (
        objects.visibility = 'team'
        OR (objects.team_id = :team_id AND objects.owner_id = :user_id)
        OR (
            objects.visibility <> 'private'
            AND EXISTS (
                SELECT 1 FROM object_grants AS grants
                WHERE grants.object_id = objects.id AND grants.principal_id IN (:user_id, :team_id)
                    AND (grants.expires_at IS NULL OR grants.expires_at > :now)
            )
        )
    )

-- name: few
-- All that `readable` could admit, as far as that is little.
SELECT id AS ref_id FROM (
    SELECT id FROM objects
    WHERE CAST(:by_role AS INTEGER) = 1 AND team_id = :team_id AND visibility = 'team' AND present = 1
    LIMIT :limit
) AS of_team
UNION ALL
SELECT id FROM (
    SELECT id FROM objects
    WHERE owner_id = :user_id AND team_id = :team_id AND present = 1 LIMIT :limit
) AS own
UNION ALL
SELECT object_id FROM (
    SELECT object_id FROM object_grants
    WHERE principal_id = :user_id AND org_id = :org_id AND listed = 1
        AND (expires_at IS NULL OR expires_at > :now)
    LIMIT :limit
) AS given_to_me
UNION ALL
SELECT object_id FROM (
    SELECT object_id FROM object_grants
    WHERE principal_id = :team_id AND org_id = :org_id AND listed = 1
        AND (expires_at IS NULL OR expires_at > :now)
    LIMIT :limit
) AS given_to_us
LIMIT :limit

-- name: every (sqlite)
SELECT
    objects.id AS ref_id, objects.org_id, objects.team_id, COALESCE(versions.title, versions.filename) AS title,
    objects.key || CHAR(10) || COALESCE(texts.text, '') AS text
FROM objects
JOIN object_versions AS versions ON versions.id = objects.newest_id
LEFT JOIN object_texts AS texts ON texts.object_id = objects.id AND texts.number = versions.number
WHERE objects.id > :after AND objects.present = 1
ORDER BY objects.id
LIMIT :limit

-- name: every (postgresql)
SELECT
    objects.id AS ref_id, objects.org_id, objects.team_id, COALESCE(versions.title, versions.filename) AS title,
    objects.key || CHR(10) || COALESCE(texts.text, '') AS text
FROM objects
JOIN object_versions AS versions ON versions.id = objects.newest_id
LEFT JOIN object_texts AS texts ON texts.object_id = objects.id AND texts.number = versions.number
WHERE objects.id > :after AND objects.present = 1
ORDER BY objects.id
LIMIT :limit
FOR SHARE OF objects
