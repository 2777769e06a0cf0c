-- Who claims jobs with a token of their own: for one company's teams, or without org_id for everybody's. A
-- retired one stays, so that a claim of its that is under way is told apart from a person's.
CREATE TABLE job_workers (
    id $ID PRIMARY KEY,
    org_id $ID REFERENCES orgs (id),
    name TEXT NOT NULL,
    token_id $ID NOT NULL UNIQUE,
    called_at BIGINT,
    retired_at BIGINT
);
