-- name: insert_token
INSERT INTO scim_tokens (
    id, org_id, team_id, user_id, token_hash, prefix, name, made_with, created_at, expires_at
)
VALUES (
    :id, :org_id, :team_id, :user_id, :token_hash, :prefix, CAST(:name AS TEXT), CAST(:made_with AS TEXT), :now,
    CAST(:expires_at AS BIGINT)
)

-- name: token_by_hash [quick]
SELECT id, org_id, user_id, team_id, expires_at, last_used_at FROM scim_tokens WHERE token_hash = :token_hash

-- name: note_use
UPDATE scim_tokens SET last_used_at = :now WHERE id = :id AND org_id = :org_id

-- name: tokens
SELECT
    tokens.id, tokens.name, tokens.prefix, tokens.created_at, tokens.expires_at, tokens.last_used_at, tokens.user_id,
    people.username
FROM scim_tokens AS tokens JOIN published_people AS people ON people.id = tokens.user_id
WHERE tokens.org_id = :org_id AND (CAST(:before AS TEXT) IS NULL OR tokens.id < :before)
ORDER BY tokens.id DESC
LIMIT :limit

-- name: count_tokens [quick]
SELECT COUNT(*) FROM scim_tokens WHERE org_id = :org_id

-- name: delete_token
DELETE FROM scim_tokens WHERE id = :id AND org_id = :org_id RETURNING id

-- name: person_columns [part]
people.id, people.username, people.display_name, people.locale, people.operator, people.org_role, people.created_at,
people.suspended_at, people.org_id, scim.user_name, scim.external_id, scim.attributes, scim.updated_at, emails.address

-- name: person_tables [part]
FROM published_people AS people
LEFT JOIN scim_users AS scim ON scim.user_id = people.id
LEFT JOIN published_emails AS emails ON emails.user_id = people.id

-- name: people
SELECT
    -- use: person_columns
-- use: person_tables
WHERE people.org_id = :org_id AND people.removed_at IS NULL AND people.id > :after
ORDER BY people.id
LIMIT :limit OFFSET :skipped

-- name: count_people
SELECT COUNT(*) FROM published_people WHERE org_id = :org_id AND removed_at IS NULL

-- name: person [quick]
SELECT
    -- use: person_columns
-- use: person_tables
WHERE people.id = :id AND people.org_id = :org_id AND people.removed_at IS NULL

-- name: person_by_name [quick]
SELECT
    -- use: person_columns
FROM scim_users AS scim
JOIN published_people AS people ON people.id = scim.user_id
LEFT JOIN published_emails AS emails ON emails.user_id = people.id
WHERE scim.org_id = :org_id AND scim.user_name_key = :key AND people.removed_at IS NULL

-- name: people_by_external_id [quick]
SELECT
    -- use: person_columns
FROM scim_users AS scim
JOIN published_people AS people ON people.id = scim.user_id
LEFT JOIN published_emails AS emails ON emails.user_id = people.id
WHERE scim.org_id = :org_id AND scim.external_id = :external_id AND people.removed_at IS NULL
ORDER BY people.id
LIMIT 100

-- name: insert_person [quick]
INSERT INTO scim_users (user_id, org_id, user_name, user_name_key, external_id, attributes, updated_at)
VALUES (:user_id, :org_id, :user_name, :key, CAST(:external_id AS TEXT), :attributes, :now)
ON CONFLICT (org_id, user_name_key) DO NOTHING
RETURNING user_id

-- name: put_person [quick]
INSERT INTO scim_users (user_id, org_id, user_name, user_name_key, external_id, attributes, updated_at)
VALUES (:user_id, :org_id, :user_name, :key, CAST(:external_id AS TEXT), :attributes, :now)
ON CONFLICT (user_id) DO UPDATE SET
    user_name = excluded.user_name, user_name_key = excluded.user_name_key, external_id = excluded.external_id,
    attributes = excluded.attributes, updated_at = excluded.updated_at

-- name: delete_person
DELETE FROM scim_users WHERE user_id = :user_id AND org_id = :org_id

-- name: groups_of_people (sqlite)
SELECT memberships.user_id, teams.id AS group_id, teams.name AS display
FROM published_memberships AS memberships JOIN published_teams AS teams ON teams.id = memberships.team_id
LEFT JOIN scim_groups AS stored ON stored.id = teams.id
WHERE teams.org_id = :org_id AND COALESCE(stored.hidden, 0) = 0
    AND memberships.user_id IN (SELECT value FROM json_each(:ids))
UNION ALL
SELECT members.user_id, stored.id, stored.display_name
FROM scim_members AS members JOIN scim_groups AS stored ON stored.id = members.group_id
WHERE stored.org_id = :org_id AND stored.role IS NOT NULL
    AND members.user_id IN (SELECT value FROM json_each(:ids))

-- name: groups_of_people (postgresql)
-- From each person by the index, also while nothing is known yet of tables that have just been filled.
SELECT memberships.user_id, teams.id AS group_id, teams.name AS display
FROM jsonb_array_elements_text(CAST(:ids AS JSONB)) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT user_id, team_id FROM published_memberships WHERE user_id = wanted.id OFFSET 0
) AS memberships
JOIN published_teams AS teams ON teams.id = memberships.team_id
LEFT JOIN scim_groups AS stored ON stored.id = teams.id
WHERE teams.org_id = :org_id AND COALESCE(stored.hidden, 0) = 0
UNION ALL
SELECT members.user_id, stored.id, stored.display_name
FROM jsonb_array_elements_text(CAST(:ids AS JSONB)) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT user_id, group_id FROM scim_members WHERE user_id = wanted.id OFFSET 0
) AS members
JOIN scim_groups AS stored ON stored.id = members.group_id
WHERE stored.org_id = :org_id AND stored.role IS NOT NULL

-- name: all_groups [part]
SELECT
    teams.id, teams.name AS display_name, teams.id AS team_id, CAST(NULL AS TEXT) AS role, stored.external_id,
    teams.created_at, stored.updated_at
FROM published_teams AS teams LEFT JOIN scim_groups AS stored ON stored.id = teams.id
WHERE teams.org_id = :org_id AND teams.deleted_at IS NULL AND COALESCE(stored.hidden, 0) = 0
UNION ALL
SELECT
    given.id, given.display_name, given.team_id, given.role, given.external_id, given.created_at, given.updated_at
FROM scim_groups AS given LEFT JOIN published_teams AS teams ON teams.id = given.team_id
WHERE given.org_id = :org_id AND given.role IS NOT NULL AND teams.deleted_at IS NULL

-- name: groups
SELECT id, display_name, team_id, role, external_id, created_at, updated_at
FROM (
    -- use: all_groups
) AS every
ORDER BY id
LIMIT :limit OFFSET :skipped

-- name: count_groups
SELECT COUNT(*) FROM (
    -- use: all_groups
) AS every

-- name: group_by_id
SELECT id, display_name, team_id, role, external_id, created_at, updated_at
FROM (
    -- use: all_groups
) AS every
WHERE id = :id

-- name: groups_of_member
SELECT id, display_name, team_id, role, external_id, created_at, updated_at
FROM (
    -- use: all_groups
) AS every
WHERE id IN (SELECT group_id FROM scim_members WHERE user_id = :user_id AND org_id = :org_id)
    OR (role IS NULL AND id IN (SELECT team_id FROM published_memberships WHERE user_id = :user_id))
ORDER BY id

-- name: hidden_teams
SELECT teams.id, teams.name FROM scim_groups AS stored JOIN published_teams AS teams ON teams.id = stored.id
WHERE stored.org_id = :org_id AND stored.hidden = 1 AND teams.deleted_at IS NULL
ORDER BY teams.id

-- name: put_group
INSERT INTO scim_groups (id, org_id, team_id, role, display_name, external_id, hidden, created_at, updated_at)
VALUES (
    :id, :org_id, CAST(:team_id AS TEXT), CAST(:role AS TEXT), CAST(:display_name AS TEXT),
    CAST(:external_id AS TEXT), :hidden, :now, :now
)
ON CONFLICT (id) DO UPDATE SET
    display_name = excluded.display_name, external_id = excluded.external_id, hidden = excluded.hidden,
    updated_at = excluded.updated_at

-- name: delete_group
DELETE FROM scim_groups WHERE id = :id AND org_id = :org_id AND role IS NOT NULL

-- name: members_of_team
SELECT memberships.user_id
FROM published_memberships AS memberships JOIN published_people AS people ON people.id = memberships.user_id
WHERE memberships.team_id = :id AND people.org_id = :org_id AND memberships.user_id > :after
ORDER BY memberships.user_id
LIMIT :limit

-- name: members_of_group
SELECT members.user_id
FROM scim_members AS members JOIN published_people AS people ON people.id = members.user_id
WHERE members.group_id = :id AND members.org_id = :org_id AND people.removed_at IS NULL AND members.user_id > :after
ORDER BY members.user_id
LIMIT :limit

-- name: put_member [quick]
INSERT INTO scim_members (group_id, user_id, org_id, role)
VALUES (:group_id, :user_id, :org_id, CAST(:role AS TEXT))
ON CONFLICT (group_id, user_id) DO NOTHING
RETURNING user_id

-- name: delete_member [quick]
DELETE FROM scim_members WHERE group_id = :group_id AND user_id = :user_id AND org_id = :org_id RETURNING user_id

-- name: delete_memberships
DELETE FROM scim_members WHERE user_id = :user_id AND org_id = :org_id

-- name: roles_in_team [quick]
-- The roles that somebody's groups give in one team; the team's own gives the one in the member's row.
SELECT COALESCE(stored.role, members.role, :fallback) AS role
FROM scim_members AS members LEFT JOIN scim_groups AS stored ON stored.id = members.group_id
WHERE members.user_id = :user_id AND members.org_id = :org_id AND (stored.team_id = :team_id OR members.group_id = :team_id)

-- name: roles_in_company [quick]
SELECT stored.role FROM scim_members AS members JOIN scim_groups AS stored ON stored.id = members.group_id
WHERE members.user_id = :user_id AND members.org_id = :org_id AND stored.team_id IS NULL AND stored.role IS NOT NULL
