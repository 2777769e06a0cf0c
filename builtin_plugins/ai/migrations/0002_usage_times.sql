-- When it was used, to the millisecond; what is older is put together by the hour, and later by the day.
ALTER TABLE ai_usage RENAME COLUMN hour TO at;

-- What an API token was called when it was first used: it may be revoked long before anybody looks.
CREATE TABLE ai_usage_tokens (
    id $ID PRIMARY KEY,
    team_id $ID NOT NULL REFERENCES teams (id),
    name TEXT
);
