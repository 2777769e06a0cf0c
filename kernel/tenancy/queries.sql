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

-- name: insert_user
INSERT INTO users (
    id, org_id, username, username_key, display_name, locale, operator, org_role, password_hash, two_factor,
    created_at
)
VALUES (
    :id, :org_id, :username, :username_key, :display_name, :locale, :operator, :org_role, :password_hash, 0,
    :now
)
ON CONFLICT (username_key) DO NOTHING
RETURNING id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at

-- name: org_by_id
SELECT id, slug, name, plan, domain, suspended_at, created_at FROM orgs WHERE id = :id

-- name: set_suspended
UPDATE orgs SET suspended_at = CAST(:at AS BIGINT) WHERE id = :id RETURNING id

-- name: team_by_id
SELECT id, org_id, slug, name, created_at FROM teams WHERE id = :id

-- name: user_by_id
SELECT id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at FROM users WHERE id = :id

-- name: user_by_key
SELECT id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at FROM users WHERE username_key = :username_key

-- name: password_hash
SELECT password_hash FROM users WHERE id = :id

-- name: set_password
UPDATE users SET password_hash = :password_hash WHERE id = :id

-- name: set_two_factor
UPDATE users SET two_factor = :two_factor WHERE id = :id

-- name: update_profile
UPDATE users
SET display_name = COALESCE(CAST(:display_name AS TEXT), display_name),
    locale = COALESCE(CAST(:locale AS TEXT), locale)
WHERE id = :id
RETURNING id, org_id, username, display_name, locale, operator, org_role, two_factor, created_at

-- name: teams_of_user
SELECT teams.id, teams.org_id, teams.slug, teams.name, teams.created_at, memberships.role
FROM memberships JOIN teams ON teams.id = memberships.team_id
WHERE memberships.user_id = :user_id
ORDER BY memberships.created_at, memberships.team_id

-- name: member
SELECT users.id AS user_id, users.username, users.display_name, memberships.role
FROM memberships JOIN users ON users.id = memberships.user_id
WHERE memberships.team_id = :team_id AND memberships.user_id = :user_id

-- name: members
SELECT users.id AS user_id, users.username, users.display_name, memberships.role
FROM memberships JOIN users ON users.id = memberships.user_id
WHERE memberships.team_id = :team_id AND memberships.user_id > :after
ORDER BY memberships.user_id
LIMIT :limit

-- name: shares_company
SELECT users.id FROM users JOIN teams ON teams.org_id = users.org_id
WHERE users.id = :user_id AND teams.id = :team_id

-- name: insert_membership
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
