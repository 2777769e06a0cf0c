-- name: count
SELECT COUNT(*) AS many FROM ai_usage WHERE at < :before

-- name: delete
-- On PostgreSQL by their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM ai_usage WHERE (team_id, at, user_id, model, credential) IN ( -- (sqlite)
    SELECT team_id, at, user_id, model, credential -- (sqlite)
DELETE FROM ai_usage WHERE ctid = ANY (ARRAY ( -- (postgresql)
    SELECT ctid -- (postgresql)
    FROM ai_usage WHERE at < :before ORDER BY at LIMIT :limit
) -- (sqlite)
)) -- (postgresql)
RETURNING team_id, at - at % 86400000 AS day, user_id, model, credential, requests, tokens

-- name: take_from_day
UPDATE ai_usage_days
SET requests = requests - CAST(:requests AS BIGINT), tokens = tokens - CAST(:tokens AS BIGINT)
WHERE team_id = :team_id AND day = :day AND user_id = :user_id AND model = :model AND credential = :credential

-- name: remove_empty_day
DELETE FROM ai_usage_days
WHERE team_id = :team_id AND day = :day AND user_id = :user_id AND model = :model AND credential = :credential
    AND requests <= 0 AND tokens <= 0
