-- What teams and companies decided about plugins, as JSON. NULL is the default of the declaration, taken back;
-- `schema` is the digest of the one that the value was checked against.
CREATE TABLE team_preferences (
    team_id $ID NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    plugin $ID NOT NULL,
    name $ID NOT NULL,
    value TEXT,
    schema TEXT NOT NULL,
    version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by $ID NOT NULL,
    PRIMARY KEY (team_id, plugin, name)
);

CREATE TABLE org_preferences (
    org_id $ID NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
    plugin $ID NOT NULL,
    name $ID NOT NULL,
    value TEXT,
    schema TEXT NOT NULL,
    version BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by $ID NOT NULL,
    PRIMARY KEY (org_id, plugin, name)
);
