-- An owner is a company, by its id, or the instance. A logo's bytes are base64 and named by their SHA-256.
-- A company's logo counts as storage of the team whose member brought it.
CREATE TABLE branding_logos (
    owner $ID NOT NULL,
    digest $ID NOT NULL,
    org_id $ID REFERENCES orgs (id),
    team_id $ID REFERENCES teams (id),
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    data TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (owner, digest),
    CHECK (owner = COALESCE(org_id, 'instance')),
    CHECK ((org_id IS NULL) = (team_id IS NULL))
);

CREATE INDEX branding_logos_by_digest ON branding_logos (digest);

-- What is NULL was never set, and what the level above says is shown. A logo can be set to none.
CREATE TABLE brandings (
    owner $ID PRIMARY KEY,
    org_id $ID REFERENCES orgs (id),
    title TEXT,
    tagline TEXT,
    theme TEXT,
    logo_set INTEGER NOT NULL,
    logo_digest $ID,
    updated_at BIGINT NOT NULL,
    CHECK (owner = COALESCE(org_id, 'instance')),
    FOREIGN KEY (owner, logo_digest) REFERENCES branding_logos (owner, digest)
);
