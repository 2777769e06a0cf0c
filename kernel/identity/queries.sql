-- name: access_version [quick]
SELECT version FROM access_version

-- name: principal_by_hash [quick]
SELECT
    c.id AS credential_id, c.kind, c.scope, c.expires_at, COALESCE(c.began_at, c.created_at) AS began_at,
    COALESCE(c.last_used_at, c.created_at) AS last_used_at, c.made_with, maker.expires_at AS made_until,
    c.user_id, c.team_id, m.role,
    u.username, u.display_name, u.locale, u.two_factor, u.operator, u.org_role, u.suspended_at AS person_suspended_at,
    t.name AS team_name, t.switches, o.id AS org_id, o.slug AS org_slug, o.name AS org_name, o.suspended_at,
    (SELECT version FROM access_version) AS access_version
FROM credentials AS c
JOIN users AS u ON u.id = c.user_id
JOIN memberships AS m ON m.team_id = c.team_id AND m.user_id = c.user_id
JOIN teams AS t ON t.id = c.team_id
JOIN orgs AS o ON o.id = t.org_id
LEFT JOIN credentials AS maker ON maker.id = c.made_with
WHERE c.secret_hash = :secret_hash AND (c.expires_at IS NULL OR c.expires_at > :now)

-- name: member_columns [part]
m.role,
u.username, u.display_name, u.locale, u.two_factor, u.operator, u.org_role, u.suspended_at AS person_suspended_at,
t.name AS team_name, t.switches, o.id AS org_id, o.slug AS org_slug, o.name AS org_name, o.suspended_at

-- name: member_tables [part]
JOIN users AS u ON u.id = m.user_id
JOIN teams AS t ON t.id = m.team_id
JOIN orgs AS o ON o.id = t.org_id

-- name: principal_in_team [quick]
SELECT
    m.user_id, m.team_id,
    -- use: member_columns
FROM memberships AS m
-- use: member_tables
WHERE m.team_id = :team_id AND m.user_id = :user_id

-- name: acting [quick]
-- A member, and the credential that something was asked with on their behalf. One that expired, or was signed out of,
-- stays for a while: what is not there any more was revoked.
SELECT
    m.user_id, m.team_id,
    c.kind AS asking_kind, c.scope AS asking_scope, c.expires_at AS asking_end,
    CASE WHEN c.kind = 'api' THEN c.id ELSE c.made_with END AS maker,
    CASE WHEN c.kind = 'api' THEN c.expires_at ELSE maker.expires_at END AS made_until,
    (SELECT value FROM instance_facts WHERE key = 'tenant_suspended_at') AS tenant_suspended_at,
    -- use: member_columns
FROM memberships AS m
-- use: member_tables
LEFT JOIN credentials AS c ON c.id = CAST(:asked_with AS TEXT)
LEFT JOIN credentials AS maker ON maker.id = c.made_with
WHERE m.team_id = :team_id AND m.user_id = :user_id

-- name: principal_kept [part]
-- A credential that a plugin's own statement finds, and the member it stands for.
SELECT
    kept.*,
    -- use: member_columns
FROM (
    KEPT
) AS kept
JOIN memberships AS m ON m.team_id = kept.team_id AND m.user_id = kept.user_id
-- use: member_tables

-- name: worker_by_hash [quick]
SELECT
    c.id AS credential_id, c.kind, c.expires_at, NULL AS began_at, NULL AS last_used_at, NULL AS made_with,
    NULL AS made_until,
    w.id AS user_id, '' AS team_id, 'worker' AS role,
    w.name AS username, w.name AS display_name, 'en' AS locale, 0 AS two_factor, 0 AS operator, NULL AS org_role,
    NULL AS person_suspended_at,
    '' AS team_name, NULL AS switches, COALESCE(o.id, '') AS org_id, COALESCE(o.slug, '') AS org_slug,
    COALESCE(o.name, '') AS org_name, o.suspended_at, (SELECT version FROM access_version) AS access_version
FROM credentials AS c
JOIN job_workers AS w ON w.token_id = c.id AND w.retired_at IS NULL
LEFT JOIN orgs AS o ON o.id = w.org_id
WHERE c.secret_hash = :secret_hash AND c.kind = 'worker' AND (c.expires_at IS NULL OR c.expires_at > :now)

-- name: insert_credential (sqlite)
INSERT INTO credentials (
    id, kind, secret_hash, user_id, team_id, name, scope, made_with, began_at, address, agent, created_at, expires_at
)
SELECT
    :id, :kind, :secret_hash, user_id, team_id, :name, :scope, :made_with, :began_at, :address, :agent, :now,
    :expires_at
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
INSERT INTO credentials (
    id, kind, secret_hash, user_id, team_id, name, scope, made_with, began_at, address, agent, created_at, expires_at
)
SELECT
    :id, :kind, :secret_hash, user_id, team_id, :name, :scope, :made_with, :began_at, :address, :agent, :now,
    :expires_at
FROM membership
RETURNING id

-- name: alive
SELECT id FROM credentials WHERE id = :id AND (expires_at IS NULL OR expires_at > :now)

-- name: hold (sqlite)
SELECT id FROM credentials WHERE id = :id AND (expires_at IS NULL OR expires_at > :now)

-- name: hold (postgresql)
-- The lock waits for a revocation under way; one that comes later takes what this transaction makes along. The
-- membership is locked first, as its removal does, so that no two wait in a ring.
WITH membership AS (
    SELECT memberships.team_id, memberships.user_id
    FROM memberships JOIN credentials
        ON credentials.team_id = memberships.team_id AND credentials.user_id = memberships.user_id
    WHERE credentials.id = :id
    FOR KEY SHARE OF memberships
)
SELECT credentials.id
FROM membership JOIN credentials
    ON credentials.team_id = membership.team_id AND credentials.user_id = membership.user_id
WHERE credentials.id = :id AND (credentials.expires_at IS NULL OR credentials.expires_at > :now)
FOR KEY SHARE OF credentials

-- name: api_tokens
SELECT c.id, c.user_id, u.username, c.name, c.scope, c.created_at, c.expires_at
FROM credentials AS c JOIN users AS u ON u.id = c.user_id
WHERE c.team_id = :team_id AND c.kind = 'api' AND c.id < :before
    AND (c.expires_at IS NULL OR c.expires_at > :now)
ORDER BY c.id DESC
LIMIT :limit

-- name: api_token [quick]
SELECT c.id, c.user_id, u.username, c.name, c.scope, c.created_at, c.expires_at
FROM credentials AS c JOIN users AS u ON u.id = c.user_id
WHERE c.id = :id AND c.team_id = :team_id AND c.kind = 'api'

-- name: count_api_tokens
SELECT COUNT(*) FROM credentials WHERE kind = 'api' AND (expires_at IS NULL OR expires_at > :now)

-- name: delete_api_token
DELETE FROM credentials WHERE id = :id AND team_id = :team_id AND kind = 'api' RETURNING id

-- name: sign_out
UPDATE credentials SET expires_at = :now WHERE id = :id AND kind = 'session'

-- name: confirm_session
UPDATE credentials SET began_at = :now WHERE id = :id AND kind = 'session'

-- name: note_uses (sqlite)
UPDATE credentials SET last_used_at = :now WHERE id IN (SELECT value FROM json_each(:ids))

-- name: note_uses (postgresql)
-- One that is being revoked at this moment needs no date, and nobody waits for it.
UPDATE credentials SET last_used_at = :now
WHERE id IN (
    SELECT id FROM credentials
    WHERE id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))
    ORDER BY id
    FOR NO KEY UPDATE SKIP LOCKED
)

-- name: note_person
UPDATE users SET last_seen_at = :now WHERE id = :id

-- name: note_people (sqlite)
UPDATE users SET last_seen_at = :now
WHERE id IN (SELECT user_id FROM credentials WHERE id IN (SELECT value FROM json_each(:ids)))

-- name: note_people (postgresql)
UPDATE users SET last_seen_at = :now
WHERE id IN (
    SELECT id FROM users
    WHERE id IN (
        SELECT user_id FROM credentials
        WHERE id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))
    )
    ORDER BY id
    FOR NO KEY UPDATE SKIP LOCKED
)

-- name: sessions_of_user
-- Who signs in uses the session; one that was made for somebody else is unused until it is noted.
SELECT
    id, team_id, created_at, expires_at, address, agent,
    COALESCE(last_used_at, CASE WHEN address IS NULL THEN NULL ELSE created_at END) AS last_used_at
FROM credentials
WHERE user_id = :user_id AND kind = 'session' AND id < :before AND (expires_at IS NULL OR expires_at > :now)
ORDER BY id DESC
LIMIT :limit

-- name: delete_session_of_user
DELETE FROM credentials
WHERE id = :id AND user_id = :user_id AND kind = 'session' AND (expires_at IS NULL OR expires_at > :now)
RETURNING id

-- name: delete_sessions_of_user
DELETE FROM credentials
WHERE user_id = :user_id AND kind = 'session' AND id <> :keep AND (expires_at IS NULL OR expires_at > :now)

-- name: sweep_expired (sqlite)
DELETE FROM credentials WHERE id IN (
    SELECT id FROM credentials WHERE expires_at <= :before ORDER BY expires_at LIMIT :max_rows
)

-- name: sweep_expired (postgresql)
-- By their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM credentials WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM credentials WHERE expires_at <= :before
    ORDER BY expires_at LIMIT :max_rows FOR UPDATE SKIP LOCKED
))

-- name: user_id_by_name
SELECT id FROM users WHERE username_key = :username_key

-- name: team_to_act_in
-- The oldest membership, as at login, or the team that was named.
SELECT memberships.team_id
FROM memberships JOIN teams ON teams.id = memberships.team_id
WHERE memberships.user_id = :user_id
    AND (CAST(:team AS TEXT) IS NULL OR teams.id = CAST(:team AS TEXT) OR teams.slug = CAST(:team AS TEXT))
ORDER BY memberships.created_at, memberships.team_id
LIMIT 1
