-- A job that is not due yet is scheduled, shown to people as queued. Which workers may take it is told by its
-- pool. How many run is counted, never stored: a stored number would leak. The token of the last claim stays
-- when it landed, so that whoever repeats it is recognized.
CREATE TABLE jobs (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL,
    team_id $ID NOT NULL,
    user_id $ID NOT NULL,
    kind $ID NOT NULL,
    pool $ID NOT NULL,
    bound_to $ID,
    worker TEXT,
    requirement $ID,
    state TEXT NOT NULL
        CHECK (state IN ('scheduled', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
    priority INTEGER NOT NULL,
    run_at BIGINT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    max_attempts INTEGER NOT NULL,
    lapses INTEGER NOT NULL DEFAULT 0,
    claim_token TEXT,
    landed TEXT,
    lease_until BIGINT,
    held_by $ID,
    in_process INTEGER NOT NULL DEFAULT 0 CHECK (in_process IN (0, 1)),
    unique_key $ID,
    cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
    reservation $ID,
    payload TEXT NOT NULL,
    result TEXT,
    error_code TEXT,
    error_message TEXT,
    progress DOUBLE PRECISION,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT
);

CREATE INDEX jobs_ready ON jobs (pool, team_id, priority DESC, run_at, id) WHERE state = 'queued';

CREATE INDEX jobs_running ON jobs (org_id, team_id) WHERE state = 'running';

CREATE INDEX jobs_by_due_time ON jobs (run_at) WHERE state = 'scheduled';

CREATE UNIQUE INDEX jobs_unique ON jobs (team_id, kind, unique_key)
    WHERE unique_key IS NOT NULL AND state IN ('scheduled', 'queued', 'running');

CREATE INDEX jobs_of_team ON jobs (team_id, id);

CREATE INDEX jobs_bound ON jobs (bound_to) WHERE bound_to IS NOT NULL;

-- A team's turn among those that wait for the same pool: its virtual time grows with every job it is given.
-- An active one may have jobs waiting; one without is found and closed by and by.
CREATE TABLE job_lanes (
    pool $ID NOT NULL,
    team_id $ID NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES job_companies (org_id) ON DELETE CASCADE,
    vtime DOUBLE PRECISION NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    PRIMARY KEY (pool, team_id)
);

CREATE INDEX job_lanes_in_turn ON job_lanes (pool, vtime, team_id) WHERE active = 1;

CREATE INDEX job_lanes_by_time ON job_lanes (pool, vtime);
