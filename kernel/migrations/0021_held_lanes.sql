-- A lane that is held waits for its company to be resumed or for room to run in: no claim walks past it. Whoever ends
-- what it waits for releases it, and upkeep looks after those that were missed.
ALTER TABLE job_lanes ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1));

DROP INDEX job_lanes_in_turn;

CREATE INDEX job_lanes_in_turn ON job_lanes (pool, vtime, team_id) WHERE active = 1 AND held = 0;

CREATE INDEX job_lanes_of_company ON job_lanes (org_id, team_id, pool);

UPDATE job_lanes SET held = 1
WHERE active = 1 AND org_id IN (SELECT org_id FROM job_companies WHERE suspended_at IS NOT NULL);
