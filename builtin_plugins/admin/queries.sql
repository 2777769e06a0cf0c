-- name: users
SELECT COUNT(*) FROM users

-- name: teams
SELECT COUNT(*) FROM teams

-- name: orgs
SELECT COUNT(*) FROM orgs

-- name: tokens
-- API tokens that still work; sessions come and go.
SELECT COUNT(*) FROM credentials WHERE kind = 'api' AND (expires_at IS NULL OR expires_at > :now)

-- name: audit_events
-- A chain numbers its events without a gap, so that its head knows how many there are.
SELECT CAST(COALESCE(SUM(seq), 0) AS BIGINT) FROM audit_heads

-- name: tenants
-- Whom the instance is run for: the companies that none of its operators belongs to.
SELECT COUNT(*) FROM orgs
WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.org_id = orgs.id AND users.operator = 1)
