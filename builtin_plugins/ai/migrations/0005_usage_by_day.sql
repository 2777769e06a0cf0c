-- The sums of whole days in UTC, by the milliseconds at which they begin: whoever asks for months reads no more of
-- them however often models were used. They are written and thrown away with what they are the sums of.
CREATE TABLE ai_usage_days (
    team_id $ID NOT NULL REFERENCES teams (id),
    day BIGINT NOT NULL,
    user_id $ID NOT NULL,
    model $ID NOT NULL,
    credential $ID NOT NULL,
    requests BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (team_id, day, user_id, model, credential)
);

INSERT INTO ai_usage_days (team_id, day, user_id, model, credential, requests, tokens)
SELECT team_id, at - at % 86400000, user_id, model, credential, SUM(requests), SUM(tokens) FROM ai_usage
GROUP BY team_id, at - at % 86400000, user_id, model, credential;

CREATE INDEX ai_usage_days_of_user ON ai_usage_days (team_id, user_id, day);
