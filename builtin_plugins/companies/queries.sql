-- name: insert_tenant
INSERT INTO hosted_tenant (
    one, org_id, team_id, user_id, activation_hash, activation_expires_at, created_at
)
VALUES (1, :org_id, :team_id, :user_id, :activation_hash, :activation_expires_at, :now)

-- name: tenant
SELECT org_id, team_id, user_id, activated_at FROM hosted_tenant

-- name: awaiting_activation
SELECT org_id, team_id, user_id, activated_at FROM hosted_tenant
WHERE activation_hash = :activation_hash AND activation_expires_at > :now

-- name: spend_activation
UPDATE hosted_tenant SET activation_hash = NULL, activated_at = :now
WHERE activation_hash = :activation_hash AND activation_expires_at > :now
RETURNING org_id, team_id, user_id, activated_at
