-- name: insert_client
INSERT INTO oauth_clients (id, name, redirect_uris, created_at) VALUES (:id, :name, :redirect_uris, :now)

-- name: client [quick]
SELECT id, name, redirect_uris, used_at FROM oauth_clients WHERE id = :id

-- name: use_client
UPDATE oauth_clients SET used_at = :now WHERE id = :id RETURNING id

-- name: count_unused [quick]
SELECT COUNT(*) FROM (
    SELECT id FROM oauth_clients WHERE used_at IS NULL LIMIT :most
) AS unused

-- name: sweep_clients (sqlite)
DELETE FROM oauth_clients
WHERE id IN (
    SELECT id FROM oauth_clients
    WHERE used_at IS NULL AND created_at <= :before ORDER BY created_at LIMIT :limit
)

-- name: sweep_clients (postgresql)
-- By their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM oauth_clients WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM oauth_clients
    WHERE used_at IS NULL AND created_at <= :before ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED
))

-- name: sweep_pending (sqlite)
DELETE FROM oauth_grants
WHERE id IN (
    SELECT id FROM oauth_grants WHERE exchanged = 0 AND code_until <= :now ORDER BY code_until LIMIT :limit
)

-- name: sweep_pending (postgresql)
DELETE FROM oauth_grants WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM oauth_grants
    WHERE exchanged = 0 AND code_until <= :now ORDER BY code_until LIMIT :limit FOR UPDATE SKIP LOCKED
))

-- name: count_grants [quick]
SELECT COUNT(*) FROM oauth_grants WHERE user_id = :user_id AND team_id = :team_id

-- name: insert_grant
INSERT INTO oauth_grants (
    id, org_id, team_id, user_id, client_id, scope, redirect_uri, challenge, code_hash, code_until, exchanged,
    created_at, stamp
)
VALUES (
    :id, :org_id, :team_id, :user_id, :client_id, :scope, :redirect_uri, :challenge, :code_hash, :code_until, 0, :now,
    CAST(:stamp AS TEXT)
)

-- name: grant_columns [part]
grants.id, grants.org_id, grants.team_id, grants.user_id, grants.client_id, grants.scope, grants.redirect_uri,
grants.challenge, grants.code_until, grants.exchanged, grants.created_at, grants.used_at, clients.name AS client_name,
grants.stamp, people.username, teams.name AS team_name

-- name: grant_tables [part]
JOIN oauth_clients AS clients ON clients.id = grants.client_id
JOIN published_people AS people ON people.id = grants.user_id
JOIN published_teams AS teams ON teams.id = grants.team_id

-- name: by_code [quick]
SELECT
    -- use: grant_columns
FROM oauth_grants AS grants
-- use: grant_tables
WHERE grants.code_hash = :code_hash

-- name: by_id [quick]
SELECT
    -- use: grant_columns
FROM oauth_grants AS grants
-- use: grant_tables
WHERE grants.id = :id AND grants.org_id = :org_id

-- name: exchange
UPDATE oauth_grants SET exchanged = 1, used_at = :now
WHERE id = :id AND org_id = :org_id AND exchanged = 0
RETURNING id

-- name: note_use
UPDATE oauth_grants SET used_at = :now WHERE id = :id AND org_id = :org_id RETURNING id

-- name: of_person [quick]
SELECT
    -- use: grant_columns
FROM oauth_grants AS grants
-- use: grant_tables
WHERE grants.user_id = :user_id AND grants.team_id = :team_id AND grants.exchanged = 1 AND grants.id < :before
ORDER BY grants.id DESC
LIMIT :limit

-- name: of_team [quick]
SELECT
    -- use: grant_columns
FROM oauth_grants AS grants
-- use: grant_tables
WHERE grants.team_id = :team_id AND grants.exchanged = 1 AND grants.id < :before
ORDER BY grants.id DESC
LIMIT :limit

-- name: of_company [quick]
SELECT
    -- use: grant_columns
FROM oauth_grants AS grants
-- use: grant_tables
WHERE grants.org_id = :org_id AND grants.exchanged = 1 AND grants.id < :before
ORDER BY grants.id DESC
LIMIT :limit

-- name: allowed_with_password
SELECT
    -- use: grant_columns
FROM oauth_grants AS grants
-- use: grant_tables
WHERE grants.user_id = :user_id AND grants.stamp IS NOT NULL

-- name: ids_of_person
SELECT id FROM oauth_grants WHERE user_id = :user_id AND team_id = :team_id

-- name: insert_tokens
INSERT INTO oauth_tokens (
    token_hash, id, grant_id, org_id, access_id, access_hash, access_until, until, used
)
VALUES (:token_hash, :id, :grant_id, :org_id, :access_id, :access_hash, :access_until, :until, 0)

-- name: tokens [quick]
-- By either of the two.
SELECT id, grant_id, org_id, access_id, until, used FROM oauth_tokens WHERE token_hash = :hash
UNION
SELECT id, grant_id, org_id, access_id, until, used FROM oauth_tokens WHERE access_hash = :hash

-- name: by_refresh_token [quick]
SELECT id, grant_id, org_id, access_id, until, used FROM oauth_tokens WHERE token_hash = :hash

-- name: use_refresh_token
UPDATE oauth_tokens SET used = 1 WHERE token_hash = :hash AND used = 0 RETURNING id

-- name: tokens_of_grant
SELECT id, access_id, access_until FROM oauth_tokens
WHERE grant_id = :grant_id ORDER BY id DESC LIMIT :limit

-- name: of_apps
-- Which of these tokens an app has.
SELECT access_id FROM oauth_tokens WHERE org_id = :org_id AND access_id IN (
    SELECT value FROM json_each(:ids) -- (sqlite)
    SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)) -- (postgresql)
)

-- name: forget_tokens
-- All but the newest, which are remembered so that a stolen one is noticed.
DELETE FROM oauth_tokens
WHERE grant_id = :grant_id AND id < (
    SELECT id FROM oauth_tokens WHERE grant_id = :grant_id ORDER BY id DESC LIMIT 1 OFFSET :kept
)

-- name: delete_tokens
DELETE FROM oauth_tokens WHERE grant_id = :grant_id

-- name: delete_grant
DELETE FROM oauth_grants WHERE id = :id AND org_id = :org_id RETURNING id
