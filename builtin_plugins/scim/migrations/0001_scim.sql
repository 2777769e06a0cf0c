-- Tokens of directories: each ends with its maker's membership, or with the token that it was made with.
CREATE TABLE scim_tokens (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL,
    user_id $ID NOT NULL,
    token_hash $ID NOT NULL UNIQUE,
    name TEXT,
    made_with $ID REFERENCES credentials (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    FOREIGN KEY (team_id, user_id) REFERENCES memberships (team_id, user_id) ON DELETE CASCADE
);

CREATE INDEX scim_tokens_of_company ON scim_tokens (org_id, id);

CREATE INDEX scim_tokens_of_member ON scim_tokens (team_id, user_id);

CREATE INDEX scim_tokens_made_with ON scim_tokens (made_with);

-- What a directory says of a person; `attributes` is JSON. Who has no row was made by hand.
CREATE TABLE scim_users (
    user_id $ID PRIMARY KEY REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    user_name TEXT NOT NULL,
    user_name_key TEXT NOT NULL,
    external_id TEXT,
    attributes TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX scim_users_by_name ON scim_users (org_id, user_name_key);

CREATE INDEX scim_users_by_external_id ON scim_users (org_id, external_id);

-- A team's own group has the team's id and no role; one with a role gives it in its team, or in the company. A hidden
-- one was deleted by a directory, and its team stays.
CREATE TABLE scim_groups (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID REFERENCES teams (id),
    role TEXT,
    display_name TEXT,
    external_id TEXT,
    hidden INTEGER NOT NULL CHECK (hidden IN (0, 1)),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX scim_groups_of_company ON scim_groups (org_id, id);

-- Whom a directory put into a group, with the role that they had in the team before.
CREATE TABLE scim_members (
    group_id $ID NOT NULL,
    user_id $ID NOT NULL REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    role TEXT,
    PRIMARY KEY (group_id, user_id)
);

CREATE INDEX scim_members_of_user ON scim_members (user_id);
