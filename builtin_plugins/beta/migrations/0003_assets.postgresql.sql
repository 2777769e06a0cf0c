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
    content BYTEA NOT NULL
);

CREATE INDEX beta_assets_of_team ON beta_assets (team_id, id);

-- Pictures and fonts are compressed already.
ALTER TABLE beta_assets ALTER COLUMN content SET STORAGE EXTERNAL;

-- Plans are made once for every team: what belongs to one of them is to be taken for little, so that its list does
-- not go past everybody else's.
ALTER TABLE beta_assets ALTER COLUMN team_id SET (n_distinct = -0.05);
