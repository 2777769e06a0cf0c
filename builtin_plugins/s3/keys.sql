-- name: access_version [quick]
SELECT version FROM published_access

-- name: key_in_use [quick]
SELECT
    (SELECT version FROM published_access) AS access_version,
    s3_keys.id, s3_keys.org_id, s3_keys.team_id, s3_keys.user_id, s3_keys.scope, s3_keys.last_used_at,
    s3_keys.expires_at, teams.slug AS bucket, teams.created_at AS bucket_created_at
FROM s3_keys
JOIN published_teams AS teams ON teams.id = s3_keys.team_id
WHERE s3_keys.access_key_id = :access_key_id
    AND (s3_keys.expires_at IS NULL OR s3_keys.expires_at > :now)

-- name: keys_of
-- With a maker, only what that one made.
SELECT id, access_key_id, scope, created_at, last_used_at, expires_at
FROM s3_keys
WHERE team_id = :team_id AND user_id = :user_id AND id < :before
    AND (expires_at IS NULL OR expires_at > :now)
    AND (CAST(:maker AS TEXT) IS NULL OR made_with = :maker)
ORDER BY id DESC
LIMIT :limit

-- name: newest_key [quick]
SELECT id, org_id, access_key_id, scope, expires_at
FROM s3_keys
WHERE team_id = :team_id AND user_id = :user_id AND (expires_at IS NULL OR expires_at > :now)
ORDER BY id DESC
LIMIT 1

-- name: count_keys_of
SELECT COUNT(*) FROM s3_keys WHERE team_id = :team_id AND user_id = :user_id

-- name: bucket_of_team [quick]
SELECT slug FROM published_teams WHERE id = :team_id AND org_id = :org_id

-- name: insert_key (sqlite)
INSERT INTO s3_keys (id, access_key_id, org_id, team_id, user_id, scope, made_with, created_at, expires_at)
SELECT
    :id, :access_key_id, :org_id, team_id, user_id, :scope, CAST(:made_with AS TEXT), :now,
    CAST(:expires_at AS BIGINT)
FROM published_memberships
WHERE team_id = :team_id AND user_id = :user_id
RETURNING id

-- name: insert_key (postgresql)
-- The lock waits for a removal under way, which then leaves no row here instead of a broken reference.
WITH membership AS (
    SELECT team_id, user_id FROM published_memberships
    WHERE team_id = :team_id AND user_id = :user_id
    FOR KEY SHARE
)
INSERT INTO s3_keys (id, access_key_id, org_id, team_id, user_id, scope, made_with, created_at, expires_at)
SELECT
    :id, :access_key_id, :org_id, team_id, user_id, :scope, CAST(:made_with AS TEXT), :now,
    CAST(:expires_at AS BIGINT)
FROM membership
RETURNING id

-- name: delete_key
DELETE FROM s3_keys
WHERE id = :id AND team_id = :team_id AND user_id = :user_id
    AND (CAST(:maker AS TEXT) IS NULL OR made_with = :maker)
RETURNING id, org_id, access_key_id

-- name: delete_ended
DELETE FROM s3_keys
WHERE team_id = :team_id AND user_id = :user_id AND expires_at <= :now
RETURNING id, org_id

-- name: note_use
UPDATE s3_keys SET last_used_at = :now
WHERE id = :id AND (last_used_at IS NULL OR last_used_at < :before)

-- name: count_keys
SELECT COUNT(*) FROM s3_keys
