-- name: colleague [quick]
SELECT people.id FROM published_people AS people
WHERE people.id = :principal_id AND people.org_id = :org_id
    AND EXISTS (SELECT 1 FROM published_memberships AS memberships WHERE memberships.user_id = people.id)

-- name: team [quick]
SELECT id FROM published_teams WHERE id = :principal_id AND org_id = :org_id

-- name: many_grants [quick]
SELECT COUNT(*) FROM conversation_grants WHERE conversation_id = :id AND org_id = :org_id

-- name: put_grant [quick]
INSERT INTO conversation_grants (
    conversation_id, principal_type, principal_id, org_id, capability, granted_by, granted_at, expires_at
)
VALUES (
    :id, :principal_type, :principal_id, :org_id, :capability, :granted_by, :now, CAST(:expires_at AS BIGINT)
)
ON CONFLICT (conversation_id, principal_id) DO UPDATE
SET capability = excluded.capability, granted_by = excluded.granted_by, granted_at = excluded.granted_at,
    expires_at = excluded.expires_at

-- name: delete_grant [quick]
DELETE FROM conversation_grants
WHERE conversation_id = :id AND principal_type = :principal_type AND principal_id = :principal_id
    AND org_id = :org_id
RETURNING principal_id

-- name: grants
-- One whose holder has left the company is dead and not shown.
SELECT
    grants.principal_type, grants.principal_id, grants.capability, grants.granted_by, grants.granted_at,
    grants.expires_at, COALESCE(people.display_name, teams.name) AS name, givers.display_name AS granted_by_name
FROM conversation_grants AS grants
JOIN published_people AS givers ON givers.id = grants.granted_by
LEFT JOIN published_people AS people ON people.id = grants.principal_id AND grants.principal_type = 'user'
LEFT JOIN published_teams AS teams ON teams.id = grants.principal_id AND grants.principal_type = 'team'
WHERE grants.conversation_id = :id AND grants.org_id = :org_id
    AND (
        grants.principal_type = 'team'
        OR EXISTS (
            SELECT 1 FROM published_memberships AS memberships WHERE memberships.user_id = grants.principal_id
        )
    )
    AND (grants.granted_at, grants.principal_id) > (:after_time, :after_id)
ORDER BY grants.granted_at, grants.principal_id
LIMIT :limit
