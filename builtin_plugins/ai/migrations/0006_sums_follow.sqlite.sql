-- The sums of days follow what they are the sums of, whoever writes that: a server of a version that knows nothing of
-- them may be at work beside this one. What such a server wrote since the sums were made is counted now.
DELETE FROM ai_usage_days;

INSERT INTO ai_usage_days (team_id, day, user_id, model, credential, requests, tokens)
SELECT team_id, at - at % 86400000, user_id, model, credential, SUM(requests), SUM(tokens) FROM ai_usage
GROUP BY team_id, at - at % 86400000, user_id, model, credential;

CREATE TRIGGER ai_usage_added AFTER INSERT ON ai_usage
BEGIN
    INSERT INTO ai_usage_days (team_id, day, user_id, model, credential, requests, tokens)
    VALUES (
        new.team_id, new.at - new.at % 86400000, new.user_id, new.model, new.credential, new.requests, new.tokens
    )
    ON CONFLICT (team_id, day, user_id, model, credential) DO UPDATE
    SET requests = ai_usage_days.requests + excluded.requests, tokens = ai_usage_days.tokens + excluded.tokens;
END;

CREATE TRIGGER ai_usage_changed AFTER UPDATE OF requests, tokens ON ai_usage
BEGIN
    UPDATE ai_usage_days
    SET requests = requests + new.requests - old.requests, tokens = tokens + new.tokens - old.tokens
    WHERE team_id = new.team_id AND day = new.at - new.at % 86400000 AND user_id = new.user_id
        AND model = new.model AND credential = new.credential;
END;

CREATE TRIGGER ai_usage_removed AFTER DELETE ON ai_usage
BEGIN
    UPDATE ai_usage_days SET requests = requests - old.requests, tokens = tokens - old.tokens
    WHERE team_id = old.team_id AND day = old.at - old.at % 86400000 AND user_id = old.user_id
        AND model = old.model AND credential = old.credential;

    DELETE FROM ai_usage_days
    WHERE team_id = old.team_id AND day = old.at - old.at % 86400000 AND user_id = old.user_id
        AND model = old.model AND credential = old.credential AND requests <= 0 AND tokens <= 0;
END;
