-- The names of a team's secrets; what they hold is sealed elsewhere, under the id.
CREATE TABLE team_secrets (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    name $ID NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX team_secrets_by_name ON team_secrets (team_id, name);
