-- Ways to sign in elsewhere; without org_id one is for everybody. `settings` are those of its kind; its secrets
-- are sealed elsewhere under the id, and `secrets` names those that are set. `admission` says who is let in and as what.
CREATE TABLE sign_in_ways (
    id $ID PRIMARY KEY,
    org_id $ID REFERENCES orgs (id),
    kind $ID NOT NULL,
    label TEXT NOT NULL,
    settings TEXT NOT NULL,
    secrets TEXT NOT NULL,
    admission TEXT NOT NULL,
    required INTEGER NOT NULL CHECK (required IN (0, 1)),
    created_at BIGINT NOT NULL
);

CREATE INDEX sign_in_ways_of_company ON sign_in_ways (org_id, id);

-- The domains of the e-mail addresses of who comes in by a way.
CREATE TABLE sign_in_domains (
    domain $ID NOT NULL,
    way_id $ID NOT NULL REFERENCES sign_in_ways (id) ON DELETE CASCADE,
    org_id $ID REFERENCES orgs (id),
    PRIMARY KEY (domain, way_id)
);

CREATE INDEX sign_in_domains_of_way ON sign_in_domains (way_id);

-- Who somebody there is here. `subject` is a digest of what they are there and of who vouches for it.
CREATE TABLE sign_in_links (
    way_id $ID NOT NULL REFERENCES sign_in_ways (id) ON DELETE CASCADE,
    subject $ID NOT NULL,
    user_id $ID NOT NULL REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (way_id, subject)
);

CREATE INDEX sign_in_links_of_person ON sign_in_links (user_id);

-- Memberships that a way gave, and takes away again.
CREATE TABLE sign_in_grants (
    way_id $ID NOT NULL REFERENCES sign_in_ways (id) ON DELETE CASCADE,
    team_id $ID NOT NULL,
    user_id $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    PRIMARY KEY (way_id, user_id, team_id),
    FOREIGN KEY (team_id, user_id) REFERENCES memberships (team_id, user_id) ON DELETE CASCADE
);

CREATE INDEX sign_in_grants_of_member ON sign_in_grants (team_id, user_id);

-- The sessions that began by a way, with what ends the one there. A session that another made is not here.
CREATE TABLE sign_in_sessions (
    session_id $ID PRIMARY KEY REFERENCES credentials (id) ON DELETE CASCADE,
    way_id $ID NOT NULL REFERENCES sign_in_ways (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    user_id $ID NOT NULL REFERENCES users (id),
    foreign_session $ID,
    hint TEXT
);

CREATE INDEX sign_in_sessions_of_way ON sign_in_sessions (way_id, foreign_session);

-- What may be used once: digests, kept until it has ended by itself.
CREATE TABLE sign_in_used (
    handle $ID PRIMARY KEY,
    ends_at BIGINT NOT NULL
);

CREATE INDEX sign_in_used_by_end ON sign_in_used (ends_at);
