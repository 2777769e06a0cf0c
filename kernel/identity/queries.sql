-- name: principal_by_hash [quick]
SELECT
    c.id AS credential_id, c.kind, c.scope, c.expires_at, c.user_id, c.team_id, m.role,
    u.username, u.display_name, u.locale, u.two_factor, u.operator, u.org_role,
    t.name AS team_name, o.id AS org_id, o.slug AS org_slug, o.name AS org_name, o.suspended_at
FROM credentials AS c
JOIN users AS u ON u.id = c.user_id
JOIN memberships AS m ON m.team_id = c.team_id AND m.user_id = c.user_id
JOIN teams AS t ON t.id = c.team_id
JOIN orgs AS o ON o.id = t.org_id
WHERE c.secret_hash = :secret_hash AND (c.expires_at IS NULL OR c.expires_at > :now)

-- name: principal_in_team [quick]
SELECT
    m.user_id, m.team_id, m.role,
    u.username, u.display_name, u.locale, u.two_factor, u.operator, u.org_role,
    t.name AS team_name, o.id AS org_id, o.slug AS org_slug, o.name AS org_name, o.suspended_at
FROM memberships AS m
JOIN users AS u ON u.id = m.user_id
JOIN teams AS t ON t.id = m.team_id
JOIN orgs AS o ON o.id = t.org_id
WHERE m.team_id = :team_id AND m.user_id = :user_id

-- name: worker_by_hash [quick]
SELECT
    c.id AS credential_id, e.id AS executor_id, e.name,
    e.org_id, o.slug AS org_slug, o.name AS org_name, o.suspended_at
FROM credentials AS c
JOIN executors AS e ON e.token_id = c.id AND e.retired_at IS NULL
LEFT JOIN orgs AS o ON o.id = e.org_id
WHERE c.secret_hash = :secret_hash AND c.kind = 'worker'

-- name: insert_worker_credential
INSERT INTO credentials (id, kind, secret_hash, name, created_at)
VALUES (:id, 'worker', :secret_hash, :name, :now)

-- name: delete_worker_credential
DELETE FROM credentials WHERE id = :id AND kind = 'worker'

-- name: insert_credential (sqlite)
INSERT INTO credentials (id, kind, secret_hash, user_id, team_id, name, scope, created_at, expires_at)
SELECT :id, :kind, :secret_hash, user_id, team_id, :name, :scope, :now, :expires_at
FROM memberships
WHERE team_id = :team_id AND user_id = :user_id
RETURNING id

-- name: insert_credential (postgresql)
-- The lock waits for a removal under way, which then leaves no row here instead of a broken reference.
WITH membership AS (
    SELECT team_id, user_id FROM memberships
    WHERE team_id = :team_id AND user_id = :user_id
    FOR KEY SHARE
)
INSERT INTO credentials (id, kind, secret_hash, user_id, team_id, name, scope, created_at, expires_at)
SELECT :id, :kind, :secret_hash, user_id, team_id, :name, :scope, :now, :expires_at
FROM membership
RETURNING id

-- name: alive
SELECT id FROM credentials WHERE id = :id AND (expires_at IS NULL OR expires_at > :now)

-- name: api_tokens
SELECT c.id, c.user_id, u.username, c.name, c.scope, c.created_at, c.expires_at
FROM credentials AS c JOIN users AS u ON u.id = c.user_id
WHERE c.team_id = :team_id AND c.kind = 'api' AND c.id < :before
    AND (c.expires_at IS NULL OR c.expires_at > :now)
ORDER BY c.id DESC
LIMIT :limit

-- name: delete_api_token
DELETE FROM credentials WHERE id = :id AND team_id = :team_id AND kind = 'api' RETURNING id

-- name: delete_session
DELETE FROM credentials WHERE id = :id AND kind = 'session'

-- name: delete_sessions_of_user
DELETE FROM credentials WHERE user_id = :user_id AND kind = 'session' AND id <> :keep

-- name: sweep_expired (sqlite)
DELETE FROM credentials WHERE id IN (SELECT id FROM credentials WHERE expires_at <= :now LIMIT :most)

-- name: sweep_expired (postgresql)
DELETE FROM credentials
WHERE id IN (
    SELECT id FROM credentials WHERE expires_at <= :now LIMIT :most FOR UPDATE SKIP LOCKED
)
