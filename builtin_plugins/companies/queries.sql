-- name: insert_tenant
-- Its owner's link stands with the others', in `account_links`.
INSERT INTO hosted_tenant (one, org_id, team_id, user_id, activation_expires_at, created_at)
VALUES (1, :org_id, :team_id, :user_id, 0, :now)

-- name: tenant
SELECT org_id, team_id, user_id FROM hosted_tenant

-- name: note_activation
UPDATE hosted_tenant SET activation_hash = NULL, activated_at = :now
WHERE user_id = :user_id AND activated_at IS NULL
RETURNING user_id

-- name: put_link
INSERT INTO account_links (user_id, kind, org_id, token_hash, made_with, created_at, expires_at)
VALUES (:user_id, :kind, :org_id, :token_hash, CAST(:made_with AS TEXT), :now, :expires_at)
ON CONFLICT (user_id, kind) DO UPDATE SET
    token_hash = excluded.token_hash, made_with = excluded.made_with, created_at = excluded.created_at,
    expires_at = excluded.expires_at

-- name: link
SELECT user_id, kind, made_with FROM account_links WHERE token_hash = :token_hash AND expires_at > :now

-- name: spend_link
DELETE FROM account_links WHERE token_hash = :token_hash AND expires_at > :now
RETURNING user_id, kind, made_with

-- name: delete_links
DELETE FROM account_links WHERE user_id = :user_id
