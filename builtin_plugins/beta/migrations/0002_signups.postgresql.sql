-- A sign-up that was taken: its nonce cannot be used again, and it counts for an hour against the address and
-- the subnet that it came from. Both are hashed with a key of the instance.
CREATE TABLE beta_arrivals (
    nonce $ID PRIMARY KEY,
    address $ID NOT NULL,
    subnet $ID NOT NULL,
    at BIGINT NOT NULL
);

CREATE INDEX beta_arrivals_of_address ON beta_arrivals (address, at);

CREATE INDEX beta_arrivals_of_subnet ON beta_arrivals (subnet, at);

CREATE INDEX beta_arrivals_by_time ON beta_arrivals (at);

-- Who signed up, once for each e-mail address and team. What was sent into the trap for robots has a key of its
-- own: it takes nobody's place. `words` is what `?q=` looks in.
CREATE TABLE beta_prospects (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    experience_id $ID,
    email_key $ID,
    fields TEXT NOT NULL,
    words TEXT NOT NULL,
    locale TEXT NOT NULL,
    signals TEXT NOT NULL,
    honeypot INTEGER NOT NULL,
    repeats BIGINT NOT NULL,
    verdict TEXT,
    judge_problem TEXT,
    status TEXT NOT NULL CHECK (status IN ('captured', 'accepted', 'declined')),
    decided_by $ID REFERENCES users (id),
    decided_at BIGINT,
    note TEXT,
    created_at BIGINT NOT NULL,
    UNIQUE (team_id, email_key)
);

CREATE INDEX beta_prospects_of_team ON beta_prospects (team_id, id);

CREATE INDEX beta_prospects_by_status ON beta_prospects (team_id, status, id);

CREATE INDEX beta_prospects_by_time ON beta_prospects (created_at);

-- Plans are made once for every team and status: whatever belongs to one of them is to be taken for little, so that
-- a list goes by the index that names both, and not past everybody else.
ALTER TABLE beta_prospects ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE beta_prospects ALTER COLUMN status SET (n_distinct = -0.05);
