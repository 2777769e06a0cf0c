-- The sums of days follow what they are the sums of, whoever writes that: a server of a version that knows nothing of
-- them may be at work beside this one. What such a server wrote since the sums were made is counted now.
LOCK TABLE ai_usage IN SHARE ROW EXCLUSIVE MODE;

DELETE FROM ai_usage_days;

INSERT INTO ai_usage_days (team_id, day, user_id, model, credential, requests, tokens)
SELECT team_id, at - at % 86400000, user_id, model, credential, SUM(requests), SUM(tokens) FROM ai_usage
GROUP BY team_id, at - at % 86400000, user_id, model, credential;

-- For a statement as a whole: one that takes a thousand rows away changes the sum of their day once.
CREATE OR REPLACE FUNCTION ai_usage_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ai_usage_days (team_id, day, user_id, model, credential, requests, tokens)
    SELECT team_id, at - at % 86400000 AS day, user_id, model, credential, SUM(requests), SUM(tokens) FROM added
    GROUP BY team_id, at - at % 86400000, user_id, model, credential
    ORDER BY team_id, day, user_id, model, credential
    ON CONFLICT (team_id, day, user_id, model, credential) DO UPDATE
    SET requests = ai_usage_days.requests + excluded.requests, tokens = ai_usage_days.tokens + excluded.tokens;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ai_usage_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ai_usage_days (team_id, day, user_id, model, credential, requests, tokens)
    SELECT team_id, at - at % 86400000 AS day, user_id, model, credential, SUM(requests), SUM(tokens)
    FROM (
        SELECT team_id, at, user_id, model, credential, requests, tokens FROM added
        UNION ALL
        SELECT team_id, at, user_id, model, credential, -requests, -tokens FROM removed
    ) AS changed
    GROUP BY team_id, at - at % 86400000, user_id, model, credential
    ORDER BY team_id, day, user_id, model, credential
    ON CONFLICT (team_id, day, user_id, model, credential) DO UPDATE
    SET requests = ai_usage_days.requests + excluded.requests, tokens = ai_usage_days.tokens + excluded.tokens;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ai_usage_removed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    gone RECORD;
BEGIN
    FOR gone IN
        SELECT team_id, at - at % 86400000 AS day, user_id, model, credential,
            SUM(requests) AS requests, SUM(tokens) AS tokens
        FROM removed
        GROUP BY team_id, at - at % 86400000, user_id, model, credential
        ORDER BY team_id, day, user_id, model, credential
    LOOP
        UPDATE ai_usage_days AS days SET requests = days.requests - gone.requests, tokens = days.tokens - gone.tokens
        WHERE days.team_id = gone.team_id AND days.day = gone.day AND days.user_id = gone.user_id
            AND days.model = gone.model AND days.credential = gone.credential;

        DELETE FROM ai_usage_days AS days
        WHERE days.team_id = gone.team_id AND days.day = gone.day AND days.user_id = gone.user_id
            AND days.model = gone.model AND days.credential = gone.credential
            AND days.requests <= 0 AND days.tokens <= 0;
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER ai_usage_added AFTER INSERT ON ai_usage
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION ai_usage_added();

CREATE TRIGGER ai_usage_changed AFTER UPDATE ON ai_usage
REFERENCING OLD TABLE AS removed NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION ai_usage_changed();

CREATE TRIGGER ai_usage_removed AFTER DELETE ON ai_usage
REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION ai_usage_removed();
