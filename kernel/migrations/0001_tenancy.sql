CREATE TABLE instance_facts (
    key $ID PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE orgs (
    id $ID PRIMARY KEY,
    slug $ID NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    domain $ID UNIQUE,
    suspended_at BIGINT,
    created_at BIGINT NOT NULL
);

-- A team's slug is its name in other protocols too: unique on the instance, 3 to 63 of [a-z0-9-].
CREATE TABLE teams (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    slug $ID NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX teams_of_org ON teams (org_id, id);

-- A person belongs to one company. The key is the name as compared: NFKC, casefold, NFKC.
CREATE TABLE users (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    username TEXT NOT NULL,
    username_key $ID NOT NULL UNIQUE,
    display_name TEXT NOT NULL,
    locale TEXT NOT NULL,
    operator INTEGER NOT NULL,
    org_role TEXT,
    password_hash TEXT,
    two_factor INTEGER NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX users_of_org ON users (org_id, id);

CREATE TABLE memberships (
    team_id $ID NOT NULL REFERENCES teams (id),
    user_id $ID NOT NULL REFERENCES users (id),
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (team_id, user_id)
);

CREATE INDEX memberships_of_user ON memberships (user_id, created_at, team_id);

CREATE INDEX memberships_by_role ON memberships (team_id, role, user_id);

-- A credential lives and dies with the membership that it acts for. Only a worker's acts in no team.
CREATE TABLE credentials (
    id $ID PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('session', 'api', 'worker')),
    secret_hash $ID NOT NULL UNIQUE,
    user_id $ID,
    team_id $ID,
    name TEXT,
    scope TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    CHECK (kind = 'worker' OR (user_id IS NOT NULL AND team_id IS NOT NULL)),
    FOREIGN KEY (team_id, user_id) REFERENCES memberships (team_id, user_id) ON DELETE CASCADE
);

CREATE INDEX credentials_of_member ON credentials (user_id, team_id);

CREATE INDEX credentials_of_team ON credentials (team_id, kind, id);

CREATE INDEX credentials_by_end ON credentials (expires_at);
