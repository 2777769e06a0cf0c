-- Which pages from elsewhere may use a team's bucket, as JSON; without a row, none.
CREATE TABLE s3_cors (
    team_id $ID PRIMARY KEY REFERENCES teams (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    rules TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);
