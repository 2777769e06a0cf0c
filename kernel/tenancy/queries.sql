-- name: claim_instance
INSERT INTO instance_facts (key, value)
SELECT 'claimed_at', CAST(:now AS TEXT)
WHERE NOT EXISTS (SELECT 1 FROM users)
ON CONFLICT (key) DO NOTHING
RETURNING key

-- name: any_user
SELECT id FROM users LIMIT 1

-- name: insert_org
INSERT INTO orgs (id, slug, name, plan, created_at)
VALUES (:id, :slug, :name, :plan, :now)
ON CONFLICT (slug) DO NOTHING
RETURNING id, slug, name, plan, domain, suspended_at, created_at

-- name: insert_team
INSERT INTO teams (id, org_id, slug, name, created_at)
VALUES (:id, :org_id, :slug, :name, :now)
ON CONFLICT (slug) DO NOTHING
RETURNING id, org_id, slug, name, created_at

-- name: insert_user [quick]
INSERT INTO users (
    id, org_id, username, username_key, display_name, locale, operator, org_role, password_hash, two_factor,
    created_at
)
VALUES (
    :id, :org_id, :username, :username_key, :display_name, :locale, :operator, :org_role, :password_hash, 0,
    :now
)
ON CONFLICT (username_key) DO NOTHING
RETURNING
    id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at,
    suspended_at, removed_at, last_seen_at, (password_hash IS NOT NULL OR settled_at IS NOT NULL) AS has_password

-- name: org_by_id
SELECT id, slug, name, plan, domain, suspended_at, created_at FROM orgs WHERE id = :id

-- name: org_by_ref
SELECT id, slug, name, plan, domain, suspended_at, created_at FROM orgs WHERE id = :ref OR slug = :ref

-- name: orgs
SELECT id, slug, name, plan, domain, suspended_at, created_at FROM orgs
WHERE id > :after
ORDER BY id
LIMIT :limit

-- name: change_org
UPDATE orgs
SET name = COALESCE(CAST(:name AS TEXT), name), plan = COALESCE(CAST(:plan AS TEXT), plan)
WHERE id = :id
RETURNING id, slug, name, plan, domain, suspended_at, created_at

-- name: org_id_by_domain
SELECT id FROM orgs WHERE domain = :domain

-- name: set_domain
UPDATE orgs SET domain = CAST(:domain AS TEXT) WHERE id = :id
RETURNING id, slug, name, plan, domain, suspended_at, created_at

-- name: suspend_org
UPDATE orgs SET suspended_at = :at WHERE id = :id AND suspended_at IS NULL RETURNING id

-- name: resume_org
UPDATE orgs SET suspended_at = NULL WHERE id = :id AND suspended_at IS NOT NULL RETURNING id

-- name: suspend_tenant
INSERT INTO instance_facts (key, value) VALUES ('tenant_suspended_at', :at)
ON CONFLICT (key) DO NOTHING
RETURNING key

-- name: resume_tenant
DELETE FROM instance_facts WHERE key = 'tenant_suspended_at' RETURNING key

-- name: tenant_suspended_at [quick]
SELECT value FROM instance_facts WHERE key = 'tenant_suspended_at'

-- name: suspensions [quick]
-- No row where nothing is suspended and, where a version of access is given, nothing has changed since it.
SELECT org, tenant
FROM (
    SELECT
        (SELECT suspended_at FROM orgs WHERE id = :org_id) AS org,
        (SELECT value FROM instance_facts WHERE key = 'tenant_suspended_at') AS tenant,
        (SELECT version FROM access_version) AS version
) AS all_of_them
WHERE org IS NOT NULL OR tenant IS NOT NULL OR version <> CAST(:version AS TEXT)

-- name: teams_of_org
SELECT id, org_id, slug, name, created_at FROM teams
WHERE org_id = :org_id AND id > :after AND deleted_at IS NULL
ORDER BY id
LIMIT :limit

-- name: team_by_id
SELECT id, org_id, slug, name, created_at FROM teams WHERE id = :id AND deleted_at IS NULL

-- name: rename_team
UPDATE teams SET name = :name WHERE id = :id AND org_id = :org_id AND deleted_at IS NULL
RETURNING id, org_id, slug, name, created_at

-- name: delete_team
UPDATE teams SET deleted_at = :now WHERE id = :id AND org_id = :org_id AND deleted_at IS NULL RETURNING id

-- name: delete_memberships
DELETE FROM memberships WHERE team_id = :team_id RETURNING user_id

-- name: user_by_id [quick]
SELECT
    id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at,
    suspended_at, removed_at, last_seen_at, (password_hash IS NOT NULL OR settled_at IS NOT NULL) AS has_password
FROM users WHERE id = :id

-- name: user_by_key [quick]
SELECT
    id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at,
    suspended_at, removed_at, last_seen_at, (password_hash IS NOT NULL OR settled_at IS NOT NULL) AS has_password
FROM users WHERE username_key = :username_key

-- name: password_hash
SELECT password_hash FROM users WHERE id = :id

-- name: set_password
UPDATE users SET password_hash = :password_hash WHERE id = :id

-- name: set_two_factor
UPDATE users SET two_factor = :two_factor WHERE id = :id

-- name: settle
UPDATE users SET settled_at = :now WHERE id = :id AND settled_at IS NULL

-- name: update_profile
UPDATE users
SET display_name = COALESCE(CAST(:display_name AS TEXT), display_name),
    locale = COALESCE(CAST(:locale AS TEXT), locale)
WHERE id = :id
RETURNING
    id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at,
    suspended_at, removed_at, last_seen_at, (password_hash IS NOT NULL OR settled_at IS NOT NULL) AS has_password

-- name: teams_of_user [quick]
SELECT teams.id, teams.org_id, teams.slug, teams.name, teams.created_at, memberships.role
FROM memberships JOIN teams ON teams.id = memberships.team_id
WHERE memberships.user_id = :user_id
ORDER BY memberships.created_at, memberships.team_id

-- name: member [quick]
SELECT
    users.id AS user_id, users.username, users.display_name, memberships.role, users.suspended_at,
    users.last_seen_at, (users.password_hash IS NOT NULL OR users.settled_at IS NOT NULL) AS has_password
FROM memberships JOIN users ON users.id = memberships.user_id
WHERE memberships.team_id = :team_id AND memberships.user_id = :user_id

-- name: members
SELECT
    users.id AS user_id, users.username, users.display_name, memberships.role, users.suspended_at,
    users.last_seen_at, (users.password_hash IS NOT NULL OR users.settled_at IS NOT NULL) AS has_password
FROM memberships JOIN users ON users.id = memberships.user_id
WHERE memberships.team_id = :team_id AND memberships.user_id > :after
ORDER BY memberships.user_id
LIMIT :limit

-- name: could_be_member [quick]
-- A person of the company of a team, as a member of it.
SELECT
    users.id AS user_id, users.username, users.display_name, users.suspended_at, users.removed_at,
    users.last_seen_at, (users.password_hash IS NOT NULL OR users.settled_at IS NOT NULL) AS has_password
FROM users JOIN teams ON teams.org_id = users.org_id
WHERE users.id = :user_id AND teams.id = :team_id AND teams.deleted_at IS NULL

-- name: take_back [quick]
UPDATE users SET removed_at = NULL WHERE id = :id AND removed_at IS NOT NULL

-- name: remove_person
UPDATE users SET removed_at = :now, org_role = NULL, password_hash = NULL, settled_at = NULL
WHERE id = :id AND org_id = :org_id

-- name: suspend_person
UPDATE users SET suspended_at = :at WHERE id = :id AND org_id = :org_id AND suspended_at IS NULL RETURNING id

-- name: resume_person
UPDATE users SET suspended_at = NULL WHERE id = :id AND org_id = :org_id AND suspended_at IS NOT NULL RETURNING id

-- name: another_org_owner
SELECT id FROM users
WHERE org_id = :org_id AND org_role = 'org_owner' AND id <> :id AND suspended_at IS NULL
    AND EXISTS (SELECT 1 FROM memberships WHERE memberships.user_id = users.id)
LIMIT 1

-- name: insert_membership [quick]
INSERT INTO memberships (team_id, user_id, role, created_at)
VALUES (:team_id, :user_id, :role, :now)
ON CONFLICT (team_id, user_id) DO NOTHING
RETURNING user_id

-- name: set_role
UPDATE memberships SET role = :role
WHERE team_id = :team_id AND user_id = :user_id
    AND (
        role <> 'owner' OR CAST(:role AS TEXT) = 'owner'
        OR EXISTS (
            SELECT 1 FROM memberships AS other
            WHERE other.team_id = :team_id AND other.role = 'owner' AND other.user_id <> :user_id
        )
    )
RETURNING user_id

-- name: delete_membership
DELETE FROM memberships
WHERE team_id = :team_id AND user_id = :user_id
    AND (
        role <> 'owner'
        OR EXISTS (
            SELECT 1 FROM memberships AS other
            WHERE other.team_id = :team_id AND other.role = 'owner' AND other.user_id <> :user_id
        )
    )
RETURNING user_id

-- name: colleagues
SELECT
    id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at,
    suspended_at, removed_at, last_seen_at, (password_hash IS NOT NULL OR settled_at IS NOT NULL) AS has_password
FROM users
WHERE org_id = :org_id AND id > :after AND removed_at IS NULL
ORDER BY id
LIMIT :limit

-- name: teams_of_colleagues
SELECT memberships.user_id, memberships.role, teams.id, teams.org_id, teams.slug, teams.name, teams.created_at
FROM (
    SELECT id FROM users
    WHERE org_id = :org_id AND id > :after AND removed_at IS NULL
    ORDER BY id LIMIT :limit
) AS shown
JOIN memberships ON memberships.user_id = shown.id
JOIN teams ON teams.id = memberships.team_id
ORDER BY memberships.user_id, memberships.created_at, memberships.team_id

-- name: org_role
SELECT org_role FROM users WHERE id = :user_id AND org_id = :org_id

-- name: set_org_role
-- Who is in no team or suspended cannot sign in: an org_owner among those does not count.
UPDATE users SET org_role = CAST(:org_role AS TEXT)
WHERE id = :user_id AND org_id = :org_id
    AND (
        org_role IS NULL OR org_role <> 'org_owner' OR CAST(:org_role AS TEXT) = 'org_owner'
        OR EXISTS (
            SELECT 1 FROM users AS other
            WHERE other.org_id = :org_id AND other.org_role = 'org_owner' AND other.id <> :user_id
                AND other.suspended_at IS NULL
                AND EXISTS (SELECT 1 FROM memberships WHERE memberships.user_id = other.id)
        )
    )
RETURNING id

-- name: company_of_team
SELECT org_id FROM teams WHERE id = :team_id

-- name: standing
-- What hangs on one membership: whether its person has another, operates the instance, owns the company, and
-- whether anybody else who can sign in owns it too.
SELECT
    memberships.role, users.operator, users.org_role,
    EXISTS (
        SELECT 1 FROM memberships AS other
        WHERE other.user_id = users.id AND other.team_id <> memberships.team_id
    ) AS elsewhere,
    EXISTS (
        SELECT 1 FROM users AS other
        WHERE other.org_id = users.org_id AND other.org_role = 'org_owner' AND other.id <> users.id
            AND other.suspended_at IS NULL
            AND EXISTS (SELECT 1 FROM memberships AS their WHERE their.user_id = other.id)
    ) AS co_owned
FROM memberships JOIN users ON users.id = memberships.user_id
WHERE memberships.team_id = :team_id AND memberships.user_id = :user_id

-- name: team_by_ref
-- The slug may be given without the company's in front of it.
SELECT teams.id, teams.org_id, teams.slug, teams.name, teams.created_at
FROM teams JOIN orgs ON orgs.id = teams.org_id
WHERE teams.org_id = :org_id AND teams.deleted_at IS NULL
    AND (teams.id = :ref OR teams.slug IN (:ref, orgs.slug || '--' || :ref))
ORDER BY CASE WHEN :ref IN (teams.id, teams.slug) THEN 0 ELSE 1 END
LIMIT 1

-- name: set_operator
UPDATE users SET operator = :operator WHERE id = :id AND operator <> :operator RETURNING id

-- name: another_operator
SELECT id FROM users
WHERE operator = 1 AND id <> :id AND suspended_at IS NULL
    AND EXISTS (SELECT 1 FROM memberships WHERE memberships.user_id = users.id)
LIMIT 1

-- name: people
SELECT users.id, users.org_id, users.username, users.display_name, users.locale, users.operator, users.org_role,
    users.two_factor, users.created_at, users.suspended_at, users.removed_at, users.last_seen_at,
    (users.password_hash IS NOT NULL OR users.settled_at IS NOT NULL) AS has_password, orgs.slug AS org_slug
FROM users JOIN orgs ON orgs.id = users.org_id
WHERE users.id > :after AND (CAST(:company AS TEXT) IS NULL OR orgs.slug = :company OR orgs.id = :company)
ORDER BY users.id
LIMIT :limit
