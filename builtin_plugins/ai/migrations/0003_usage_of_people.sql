-- Somebody's own use, and a page of people, are found without reading everybody's.
CREATE INDEX ai_usage_of_user ON ai_usage (team_id, user_id, at, model, credential, requests, tokens);

-- What is not put together yet, by the hour and by the day: the rest, which grows for ever, is not looked at.
CREATE INDEX ai_usage_within_hours ON ai_usage (at, team_id) WHERE at % 3600000 <> 0;

CREATE INDEX ai_usage_within_days ON ai_usage (at, team_id) WHERE at % 86400000 <> 0;
