-- Who used which model with what credential, by the hour: written in the transactions that settle quotas.
-- A credential that is no API token is written by its kind: sessions come and go.
CREATE TABLE ai_usage (
    team_id $ID NOT NULL REFERENCES teams (id),
    hour BIGINT NOT NULL,
    user_id $ID NOT NULL,
    model $ID NOT NULL,
    credential $ID NOT NULL,
    requests BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (team_id, hour, user_id, model, credential)
);
