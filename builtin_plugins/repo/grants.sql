-- name: colleague [quick]
SELECT people.id FROM published_people AS people
WHERE people.id = :principal_id AND people.org_id = :org_id
    AND EXISTS (SELECT 1 FROM published_memberships AS memberships WHERE memberships.user_id = people.id)

-- name: team [quick]
SELECT id FROM published_teams WHERE id = :principal_id AND org_id = :org_id

-- name: put_grant
INSERT INTO object_grants (
    object_id, principal_type, principal_id, org_id, team_id, key, capability, granted_by, granted_at, expires_at,
    under
)
VALUES (
    :id, :principal_type, :principal_id, :org_id, :team_id, :key, :capability, :granted_by, :now,
    CAST(:expires_at AS BIGINT), CAST(:under AS TEXT)
)
ON CONFLICT (object_id, principal_id) DO UPDATE
SET capability = excluded.capability, granted_by = excluded.granted_by, granted_at = excluded.granted_at,
    expires_at = excluded.expires_at, under = excluded.under

-- name: inherit
INSERT INTO object_grants (
    object_id, principal_type, principal_id, org_id, team_id, key, capability, granted_by, granted_at, expires_at,
    under, listed
)
SELECT
    CAST(:id AS TEXT), principal_type, principal_id, org_id, CAST(:team_id AS TEXT), CAST(:key AS TEXT), capability,
    granted_by, granted_at, expires_at, under,
    (SELECT CASE WHEN visibility = 'private' THEN 0 ELSE present END FROM objects WHERE id = :id)
FROM object_grants
WHERE object_id = :source_id AND org_id = :org_id

-- name: drop_beyond
-- What is given on an object to those who do not see its source: by no live grant, their own or their team's, and
-- not as one of the team that the source is shown to.
DELETE FROM object_grants
WHERE object_id = :id AND org_id = :org_id
    AND NOT EXISTS (
        SELECT 1 FROM object_grants AS given
        WHERE given.object_id = :source_id AND (given.expires_at IS NULL OR given.expires_at > :now)
            AND (
                given.principal_id = object_grants.principal_id
                OR EXISTS (
                    SELECT 1 FROM published_memberships AS memberships
                    WHERE memberships.user_id = object_grants.principal_id
                        AND memberships.team_id = given.principal_id
                )
            )
    )
    AND NOT (
        CAST(:to_team AS INTEGER) = 1
        AND (
            principal_id = :team_id
            OR EXISTS (
                SELECT 1 FROM published_memberships AS memberships
                WHERE memberships.user_id = object_grants.principal_id AND memberships.team_id = :team_id
            )
        )
    )
RETURNING principal_type, principal_id

-- name: cut_beyond
UPDATE object_grants SET expires_at = (
    SELECT given.expires_at FROM object_grants AS given
    WHERE given.object_id = :source_id AND given.principal_id = object_grants.principal_id
)
WHERE object_id = :id AND org_id = :org_id
    AND EXISTS (
        SELECT 1 FROM object_grants AS given
        WHERE given.object_id = :source_id AND given.principal_id = object_grants.principal_id
            AND (object_grants.expires_at IS NULL OR object_grants.expires_at > given.expires_at)
            AND given.expires_at > :now
    )

-- name: delete_grant
DELETE FROM object_grants
WHERE object_id = :id AND principal_type = :principal_type AND principal_id = :principal_id AND org_id = :org_id
RETURNING principal_id

-- name: drop_all
DELETE FROM object_grants WHERE object_id = :id AND org_id = :org_id

-- name: delete_under
-- All that was given under somebody's grant, and under that in turn; their own, should it be among it, stays.
WITH RECURSIVE given (principal_id) AS (
    SELECT principal_id FROM object_grants
    WHERE object_id = :id AND org_id = :org_id AND under = :principal_id
    UNION
    SELECT grants.principal_id FROM object_grants AS grants JOIN given ON grants.under = given.principal_id
    WHERE grants.object_id = :id
)
DELETE FROM object_grants
WHERE object_id = :id AND org_id = :org_id AND principal_id <> :principal_id
    AND principal_id IN (SELECT principal_id FROM given)

-- name: cut_under
WITH RECURSIVE given (principal_id) AS (
    SELECT principal_id FROM object_grants
    WHERE object_id = :id AND org_id = :org_id AND under = :principal_id
    UNION
    SELECT grants.principal_id FROM object_grants AS grants JOIN given ON grants.under = given.principal_id
    WHERE grants.object_id = :id
)
UPDATE object_grants SET expires_at = :expires_at
WHERE object_id = :id AND org_id = :org_id AND (expires_at IS NULL OR expires_at > :expires_at)
    AND principal_id IN (SELECT principal_id FROM given)

-- name: grants_of
-- One whose holder has left the company is dead and not shown.
SELECT
    grants.principal_type, grants.principal_id, grants.capability, grants.granted_by, grants.granted_at,
    grants.expires_at, COALESCE(people.display_name, teams.name) AS name, givers.display_name AS granted_by_name
FROM object_grants AS grants
JOIN published_people AS givers ON givers.id = grants.granted_by
LEFT JOIN published_people AS people ON people.id = grants.principal_id AND grants.principal_type = 'user'
LEFT JOIN published_teams AS teams ON teams.id = grants.principal_id AND grants.principal_type = 'team'
WHERE grants.object_id = :id AND grants.org_id = :org_id
    AND (
        grants.principal_type = 'team'
        OR EXISTS (
            SELECT 1 FROM published_memberships AS memberships WHERE memberships.user_id = grants.principal_id
        )
    )
    AND (grants.granted_at, grants.principal_id) > (:after_time, :after_id)
ORDER BY grants.granted_at, grants.principal_id
LIMIT :limit

-- name: people
SELECT people.id, people.username, people.display_name
FROM published_memberships AS memberships JOIN published_people AS people ON people.id = memberships.user_id
WHERE memberships.team_id = :team_id AND people.org_id = :org_id
ORDER BY people.id
LIMIT :limit

-- name: teams
SELECT id, name FROM published_teams WHERE org_id = :org_id ORDER BY id LIMIT :limit
