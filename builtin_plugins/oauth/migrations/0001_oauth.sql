-- Programs that registered themselves: of the whole instance, as nobody is signed in who registers one. Those that
-- nobody has allowed anything go after a week.
CREATE TABLE oauth_clients (
    id $ID PRIMARY KEY,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL;

-- What a person allowed a program in one team. Before its code was exchanged it is no grant yet; of the code a hash is
-- kept, so that a second exchange is noticed.
CREATE TABLE oauth_grants (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    user_id $ID NOT NULL REFERENCES users (id),
    client_id $ID NOT NULL REFERENCES oauth_clients (id),
    scope TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    code_hash $ID NOT NULL UNIQUE,
    code_until BIGINT NOT NULL,
    exchanged INTEGER NOT NULL CHECK (exchanged IN (0, 1)),
    created_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE INDEX oauth_grants_of_person ON oauth_grants (user_id, team_id, id);

CREATE INDEX oauth_grants_of_team ON oauth_grants (team_id, id);

CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id);

CREATE INDEX oauth_grants_pending ON oauth_grants (code_until) WHERE exchanged = 0;

-- A pair of tokens: the one that refreshes, by its hash, and the id and hash of the one that opens the API.
CREATE TABLE oauth_tokens (
    token_hash $ID PRIMARY KEY,
    id $ID NOT NULL,
    grant_id $ID NOT NULL REFERENCES oauth_grants (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    access_id $ID NOT NULL,
    access_hash $ID NOT NULL UNIQUE,
    access_until BIGINT NOT NULL,
    until BIGINT NOT NULL,
    used INTEGER NOT NULL CHECK (used IN (0, 1))
);

CREATE INDEX oauth_tokens_of_grant ON oauth_tokens (grant_id, id);
