-- How many runs have descended from the upload of a version, and when the last of them began.
CREATE TABLE doc_trigger_budgets (
    version_id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    runs BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);

CREATE INDEX doc_trigger_budgets_by_time ON doc_trigger_budgets (last_at);
