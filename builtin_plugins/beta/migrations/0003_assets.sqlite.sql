-- Pictures and fonts of a team's experiences. They were judged when they came, and never change.
CREATE TABLE beta_assets (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    kind TEXT NOT NULL CHECK (kind IN ('logo', 'hero', 'font')),
    content_type TEXT NOT NULL,
    filename TEXT,
    sha256 $ID NOT NULL,
    size BIGINT NOT NULL,
    created_by $ID NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    content BLOB NOT NULL
);

CREATE INDEX beta_assets_of_team ON beta_assets (team_id, id);
