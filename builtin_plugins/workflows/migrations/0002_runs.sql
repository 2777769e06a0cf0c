-- A run keeps the version that it began with, and acts as its starter within `scope`. `revision` counts the
-- changes of its steps; `moved_at` is the last of them.
CREATE TABLE runs (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    slug $ID NOT NULL,
    version BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'succeeded', 'failed', 'cancelled')),
    input TEXT NOT NULL,
    locale TEXT NOT NULL,
    created_by $ID NOT NULL REFERENCES users (id),
    asked_with $ID,
    scope TEXT,
    trigger_id $ID,
    object_id $ID,
    object_version BIGINT,
    chain TEXT NOT NULL,
    retry_of $ID,
    steps_used INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    revision BIGINT NOT NULL,
    error_code TEXT,
    error_message TEXT,
    error_step TEXT,
    created_at BIGINT NOT NULL,
    moved_at BIGINT NOT NULL,
    finished_at BIGINT
);

CREATE INDEX runs_of_team ON runs (team_id, id);

CREATE INDEX runs_of_workflow ON runs (team_id, slug, id);

CREATE INDEX runs_by_state ON runs (team_id, state, id);

CREATE INDEX runs_of_object ON runs (team_id, object_id, id) WHERE object_id IS NOT NULL;

CREATE INDEX runs_under_way ON runs (id) WHERE state = 'running';

-- One row for each visit of a step, in their order. A map has counters: `waiting` items have no job yet.
CREATE TABLE run_steps (
    run_id $ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('tool', 'map', 'choice')),
    state TEXT NOT NULL CHECK (state IN ('running', 'succeeded', 'failed', 'cancelled')),
    job_id $ID,
    tries INTEGER NOT NULL DEFAULT 0,
    tried_attempt INTEGER NOT NULL DEFAULT 0,
    output TEXT,
    error_code TEXT,
    error_message TEXT,
    total INTEGER,
    waiting INTEGER,
    next_index INTEGER,
    done INTEGER,
    failed INTEGER,
    bytes BIGINT,
    revision BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    finished_at BIGINT,
    PRIMARY KEY (run_id, number)
);

-- The items of maps. Thousands are inserted at once, so that no key is checked for each of them.
CREATE TABLE run_items (
    run_id $ID NOT NULL,
    number INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'succeeded', 'failed', 'cancelled')),
    item TEXT NOT NULL,
    job_id $ID,
    tries INTEGER NOT NULL DEFAULT 0,
    tried_attempt INTEGER NOT NULL DEFAULT 0,
    output TEXT,
    error_code TEXT,
    error_message TEXT,
    PRIMARY KEY (run_id, number, idx)
);
