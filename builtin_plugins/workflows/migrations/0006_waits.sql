-- `waits` is 1 while nothing of a run has a job and some step waits. `parent_run` is the run that waits for this one,
-- `root_run` the first of those, `depth` how many there are.
ALTER TABLE runs ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;

ALTER TABLE runs ADD COLUMN parent_run $ID;

ALTER TABLE runs ADD COLUMN root_run $ID;

ALTER TABLE runs ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;

DROP INDEX runs_under_way;

CREATE INDEX runs_that_move ON runs (id) WHERE state = 'running' AND waits = 0;

CREATE INDEX runs_within ON runs (parent_run) WHERE parent_run IS NOT NULL AND state = 'running';

CREATE INDEX runs_of_root ON runs (root_run) WHERE root_run IS NOT NULL;

-- Steps that wait. At `due_at` one ends with `ending`, which is JSON; `fired` is 1 once what it waited for has come.
CREATE TABLE run_waits (
    run_id $ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    key TEXT,
    due_at BIGINT,
    fired INTEGER NOT NULL DEFAULT 0 CHECK (fired IN (0, 1)),
    begun_at BIGINT NOT NULL,
    ending TEXT NOT NULL,
    PRIMARY KEY (run_id, number)
);

CREATE INDEX run_waits_due ON run_waits (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX run_waits_by_key ON run_waits (key, team_id) WHERE key IS NOT NULL AND fired = 0;
