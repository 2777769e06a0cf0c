CREATE TABLE loans_things (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL,
    team_id $ID NOT NULL REFERENCES teams (id),
    label TEXT NOT NULL,
    object_id TEXT UNIQUE,
    borrower TEXT,
    due_at BIGINT,
    value INTEGER
);

CREATE INDEX loans_things_of_team ON loans_things (team_id, id);
