-- A job that moves a folder: which attempt at it counts, the key that it looked at last, and what became of those
-- before. `skipped` is JSON: some of those that it left there, and why.
CREATE TABLE folder_moves (
    job_id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    after_key $ID NOT NULL,
    total BIGINT NOT NULL,
    moved BIGINT NOT NULL,
    left_there BIGINT NOT NULL,
    skipped TEXT NOT NULL
);
