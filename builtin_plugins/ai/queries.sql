-- name: add_usage [quick]
INSERT INTO ai_usage (team_id, hour, user_id, model, credential, requests, tokens)
VALUES (:team_id, :hour, :user_id, :model, :credential, :requests, :tokens)
ON CONFLICT (team_id, hour, user_id, model, credential) DO UPDATE
SET requests = ai_usage.requests + excluded.requests, tokens = ai_usage.tokens + excluded.tokens
