-- A lane that may not run now says what keeps it: 'suspension' of its company, or 'limit' where team or company may
-- run no more. No claim walks past it. Whoever ends what it waits for clears it, and upkeep finds those that were missed.
ALTER TABLE job_lanes ADD COLUMN blocked_by TEXT;

UPDATE job_lanes SET blocked_by = CASE
    WHEN org_id IN (SELECT org_id FROM job_companies WHERE suspended_at IS NOT NULL) THEN 'suspension' ELSE 'limit'
END
WHERE held = 1;

DROP INDEX job_lanes_in_turn;

DROP INDEX job_lanes_in_turn_for;

DROP INDEX job_lanes_held;

ALTER TABLE job_lanes DROP COLUMN held;

CREATE INDEX job_lanes_in_turn ON job_lanes (pool, vtime, team_id, requirement)
    WHERE active = 1 AND blocked_by IS NULL AND requirement >= '';

CREATE INDEX job_lanes_in_turn_for ON job_lanes (pool, requirement, vtime, team_id)
    WHERE active = 1 AND blocked_by IS NULL;

CREATE INDEX job_lanes_blocked ON job_lanes (org_id, team_id, pool) WHERE blocked_by IS NOT NULL;

-- A job that waits for others gives up its slot (1), wants it back when they have ended (2), and has it again (0):
-- what counts under a limit is who works.
ALTER TABLE jobs ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0 CHECK (waiting IN (0, 1, 2));

DROP INDEX jobs_borrowing;

DROP INDEX jobs_to_borrow;

ALTER TABLE jobs DROP COLUMN lender;

DROP INDEX jobs_running;

CREATE INDEX jobs_running ON jobs (org_id, team_id, waiting, priority) WHERE state = 'running';

-- A job that another one waits for goes before all that nobody waits for: 1000 is added to its priority.
UPDATE jobs SET priority = priority + 1000 WHERE within IS NOT NULL AND state IN ('scheduled', 'queued', 'running');
