-- name: usage
-- Much use by one person in ten days, each time at another moment.
INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST(:many AS BIGINT))
SELECT CAST(:team_id AS TEXT), 86400000 * CAST(1 + i % 10 AS BIGINT) + 1 + i, CAST(:user_id AS TEXT), 'x', 'session', 1, 2 FROM n
