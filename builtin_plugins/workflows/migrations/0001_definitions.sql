-- Every version of every workflow of a team; none is ever changed. `source` is the plugin that ships it.
CREATE TABLE workflow_versions (
    team_id $ID NOT NULL REFERENCES teams (id),
    slug $ID NOT NULL,
    version BIGINT NOT NULL,
    id $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    name TEXT NOT NULL,
    spec TEXT NOT NULL,
    -- As the spec says, so that a list does not read all of them.
    max_steps BIGINT NOT NULL,
    inputs TEXT NOT NULL,
    source TEXT,
    published_by $ID REFERENCES users (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (team_id, slug, version)
);
