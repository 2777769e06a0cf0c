-- The draft of each team, replaced with every save; the version counts its saves.
CREATE TABLE beta_drafts (
    team_id $ID PRIMARY KEY REFERENCES teams (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    version BIGINT NOT NULL,
    saved_by $ID NOT NULL REFERENCES users (id),
    saved_at BIGINT NOT NULL,
    document TEXT NOT NULL
);

-- What was published, in order; the newest of a company is shown on its hostname.
CREATE TABLE beta_experiences (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    version BIGINT NOT NULL,
    published_by $ID NOT NULL REFERENCES users (id),
    published_at BIGINT NOT NULL,
    document TEXT NOT NULL,
    UNIQUE (org_id, version)
);

CREATE INDEX beta_experiences_of_team ON beta_experiences (team_id, version);
