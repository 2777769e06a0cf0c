-- A team's time in a pool is that of its lane for jobs that need nothing, which is there as long as any other: the index
-- of times has these alone. Whoever changes lanes then finds them by their key, whatever a planner knows of them.
DROP INDEX job_lanes_by_time;

CREATE INDEX job_lanes_by_time ON job_lanes (pool, vtime) WHERE requirement = '';

-- Jobs that wait are listed by an index without those that run, which have one of their own: a claim takes a job out
-- of it, and the job's end does not come by it at all.
DROP INDEX jobs_unfinished;

CREATE INDEX jobs_waiting ON jobs (team_id, kind, id) WHERE state IN ('scheduled', 'queued');
