-- name: add_usage [quick]
INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens)
VALUES (:team_id, :at, :user_id, :model, :credential, :requests, :tokens)
ON CONFLICT (team_id, at, user_id, model, credential) DO UPDATE
SET requests = ai_usage.requests + excluded.requests, tokens = ai_usage.tokens + excluded.tokens

-- name: used_token [quick]
SELECT id FROM ai_usage_tokens WHERE id = :id AND team_id = :team_id

-- name: name_token [quick]
INSERT INTO ai_usage_tokens (id, team_id, name) VALUES (:id, :team_id, :name)
ON CONFLICT (id) DO NOTHING

-- name: usage_by_user [long]
SELECT
    ai_usage.user_id AS id, COALESCE(NULLIF(people.display_name, ''), people.username) AS name,
    CAST(SUM(ai_usage.requests) AS BIGINT) AS requests, CAST(SUM(ai_usage.tokens) AS BIGINT) AS tokens
FROM ai_usage LEFT JOIN published_people AS people ON people.id = ai_usage.user_id
WHERE ai_usage.team_id = :team_id AND ai_usage.at >= :since AND ai_usage.at < :until
    AND (CAST(:user_id AS TEXT) IS NULL OR ai_usage.user_id = :user_id) AND ai_usage.user_id > :after
GROUP BY ai_usage.user_id, people.display_name, people.username
ORDER BY ai_usage.user_id
LIMIT :limit

-- name: usage_by_model [long]
SELECT
    model AS id, model AS name,
    CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
FROM ai_usage
WHERE team_id = :team_id AND at >= :since AND at < :until
    AND (CAST(:user_id AS TEXT) IS NULL OR user_id = :user_id) AND model > :after
GROUP BY model
ORDER BY model
LIMIT :limit

-- name: usage_by_token [long]
SELECT
    ai_usage.credential AS id, tokens.name AS name,
    CAST(SUM(ai_usage.requests) AS BIGINT) AS requests, CAST(SUM(ai_usage.tokens) AS BIGINT) AS tokens
FROM ai_usage LEFT JOIN ai_usage_tokens AS tokens ON tokens.id = ai_usage.credential
WHERE ai_usage.team_id = :team_id AND ai_usage.at >= :since AND ai_usage.at < :until
    AND (CAST(:user_id AS TEXT) IS NULL OR ai_usage.user_id = :user_id) AND ai_usage.credential > :after
GROUP BY ai_usage.credential, tokens.name
ORDER BY ai_usage.credential
LIMIT :limit

-- name: unfolded_periods [long]
SELECT DISTINCT team_id, at - at % CAST(:length AS BIGINT) AS start
FROM ai_usage
WHERE at < :until AND at % CAST(:length AS BIGINT) <> 0
LIMIT :limit

-- name: take_period
DELETE FROM ai_usage WHERE team_id = :team_id AND at > :start AND at < CAST(:start AS BIGINT) + CAST(:length AS BIGINT)
RETURNING user_id, model, credential, requests, tokens
