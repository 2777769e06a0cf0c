-- Kinds of steps are declared, and a step may wait. Those of a branch have the number of the step that holds it as
-- `parent`.
CREATE TABLE run_steps_of_kinds (
    run_id $ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'waiting', 'succeeded', 'failed', 'cancelled')),
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
    cancelled INTEGER NOT NULL DEFAULT 0,
    parent INTEGER,
    branch INTEGER,
    PRIMARY KEY (run_id, number)
);

INSERT INTO run_steps_of_kinds (
    run_id, number, name, kind, state, job_id, tries, tried_attempt, output, error_code, error_message, total, waiting,
    next_index, done, failed, bytes, revision, started_at, finished_at, cancelled
)
SELECT
    run_id, number, name, kind, state, job_id, tries, tried_attempt, output, error_code, error_message, total, waiting,
    next_index, done, failed, bytes, revision, started_at, finished_at, cancelled
FROM run_steps;

DROP TABLE run_steps;

ALTER TABLE run_steps_of_kinds RENAME TO run_steps;
