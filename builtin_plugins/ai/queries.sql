-- name: add_usage [quick]
-- The sum of its day follows by itself, as it does when a row goes.
INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens)
VALUES (:team_id, :at, :user_id, :model, :credential, :requests, :tokens)
ON CONFLICT (team_id, at, user_id, model, credential) DO UPDATE
SET requests = ai_usage.requests + excluded.requests, tokens = ai_usage.tokens + excluded.tokens

-- name: used_before
SELECT 1 FROM ai_usage WHERE team_id = :team_id AND at < :before LIMIT 1

-- name: first_people
SELECT user_id FROM published_memberships WHERE team_id = :team_id ORDER BY user_id LIMIT :limit

-- name: used_token [quick]
SELECT id FROM ai_usage_tokens WHERE id = :id AND team_id = :team_id

-- name: name_token [quick]
INSERT INTO ai_usage_tokens (id, team_id, name) VALUES (:id, :team_id, :name)
ON CONFLICT (id) DO NOTHING

-- name: used [part]
-- Whole days by their sums; before the first of them and behind the last what was used on parts of days.
(
    SELECT at - at % 86400000 AS day, user_id, model, credential, requests, tokens FROM ai_usage
    WHERE team_id = :team_id AND at >= :since AND at < :first_day
    UNION ALL
    SELECT day, user_id, model, credential, requests, tokens FROM ai_usage_days
    WHERE team_id = :team_id AND day >= :first_day AND day < :last_day
    UNION ALL
    SELECT at - at % 86400000 AS day, user_id, model, credential, requests, tokens FROM ai_usage
    WHERE team_id = :team_id AND at >= :last_day AND at < :until
) AS used

-- name: used_oneself [part]
-- Whole days by their sums; before the first of them and behind the last what was used on parts of days.
(
    SELECT at - at % 86400000 AS day, user_id, model, credential, requests, tokens FROM ai_usage
    WHERE team_id = :team_id AND user_id = :user_id AND at >= :since AND at < :first_day
    UNION ALL
    SELECT day, user_id, model, credential, requests, tokens FROM ai_usage_days
    WHERE team_id = :team_id AND user_id = :user_id AND day >= :first_day AND day < :last_day
    UNION ALL
    SELECT at - at % 86400000 AS day, user_id, model, credential, requests, tokens FROM ai_usage
    WHERE team_id = :team_id AND user_id = :user_id AND at >= :last_day AND at < :until
) AS used

-- name: usage_by_user [long, may lag]
-- Of whole days the first people only; a part of a day is read by its time, and not past all that each has used.
SELECT sums.id, COALESCE(NULLIF(people.display_name, ''), people.username) AS name, sums.requests, sums.tokens
FROM (
    SELECT
        user_id AS id, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
    FROM (
        SELECT user_id, requests, tokens FROM ai_usage
        WHERE team_id = :team_id AND at >= :since AND at < :first_day
            AND +user_id > :after -- (sqlite)
            AND user_id > :after -- (postgresql)
        UNION ALL
        SELECT user_id, requests, tokens FROM (
            SELECT user_id, SUM(requests) AS requests, SUM(tokens) AS tokens FROM ai_usage_days
            WHERE team_id = :team_id AND user_id > :after AND day >= :first_day AND day < :last_day
            GROUP BY user_id
            ORDER BY user_id
            LIMIT :limit
        ) AS whole_days
        UNION ALL
        SELECT user_id, requests, tokens FROM ai_usage
        WHERE team_id = :team_id AND at >= :last_day AND at < :until
            AND +user_id > :after -- (sqlite)
            AND user_id > :after -- (postgresql)
    ) AS used
    GROUP BY user_id
    ORDER BY user_id
    LIMIT :limit
) AS sums LEFT JOIN published_people AS people ON people.id = sums.id
ORDER BY sums.id

-- name: usage_by_model [long, may lag]
SELECT
    model AS id, model AS name, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
FROM
    -- use: used
WHERE model > :after
GROUP BY model
ORDER BY model
LIMIT :limit

-- name: usage_by_token [long, may lag]
SELECT sums.id, named.name, sums.requests, sums.tokens
FROM (
    SELECT
        credential AS id, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
    FROM
        -- use: used
    WHERE credential > :after
    GROUP BY credential
    ORDER BY credential
    LIMIT :limit
) AS sums LEFT JOIN ai_usage_tokens AS named ON named.id = sums.id
ORDER BY sums.id

-- name: usage_by_day [long, may lag]
-- Days in UTC, by the milliseconds at which they begin: as long as there are people, thirteen digits.
SELECT
    CAST(day AS TEXT) AS id, NULL AS name,
    CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
FROM
    -- use: used
WHERE CAST(day AS TEXT) > :after
GROUP BY day
ORDER BY 1
LIMIT :limit

-- name: own_usage_by_day
SELECT
    CAST(day AS TEXT) AS id, NULL AS name,
    CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
FROM
    -- use: used_oneself
WHERE CAST(day AS TEXT) > :after
GROUP BY day
ORDER BY 1
LIMIT :limit

-- name: own_usage_by_user
SELECT sums.id, COALESCE(NULLIF(people.display_name, ''), people.username) AS name, sums.requests, sums.tokens
FROM (
    SELECT
        user_id AS id, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
    FROM
        -- use: used_oneself
    WHERE user_id > :after
    GROUP BY user_id
    ORDER BY user_id
    LIMIT :limit
) AS sums LEFT JOIN published_people AS people ON people.id = sums.id
ORDER BY sums.id

-- name: own_usage_by_model
SELECT
    model AS id, model AS name, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
FROM
    -- use: used_oneself
WHERE model > :after
GROUP BY model
ORDER BY model
LIMIT :limit

-- name: own_usage_by_token
SELECT sums.id, named.name, sums.requests, sums.tokens
FROM (
    SELECT
        credential AS id, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(tokens) AS BIGINT) AS tokens
    FROM
        -- use: used_oneself
    WHERE credential > :after
    GROUP BY credential
    ORDER BY credential
    LIMIT :limit
) AS sums LEFT JOIN ai_usage_tokens AS named ON named.id = sums.id
ORDER BY sums.id

-- name: unfolded_hours [long]
-- The lengths are written out: there is an index of just what is not put together yet.
SELECT DISTINCT team_id, start
FROM (
    SELECT team_id, at - at % 3600000 AS start FROM ai_usage
    WHERE at < :until AND at % 3600000 <> 0
    ORDER BY at LIMIT :limit
) AS oldest

-- name: unfolded_days [long]
SELECT DISTINCT team_id, start
FROM (
    SELECT team_id, at - at % 86400000 AS start FROM ai_usage
    WHERE at < :until AND at % 86400000 <> 0
    ORDER BY at LIMIT :limit
) AS oldest

-- name: take_period
DELETE FROM ai_usage WHERE team_id = :team_id AND at > :start AND at < CAST(:start AS BIGINT) + CAST(:length AS BIGINT)
RETURNING user_id, model, credential, requests, tokens
