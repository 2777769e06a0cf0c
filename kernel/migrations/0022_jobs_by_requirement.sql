-- Workers that say what they provide find what they may have past any number of jobs that need something else.
CREATE INDEX jobs_ready_for ON jobs (pool, team_id, requirement, priority DESC, run_at, id) WHERE state = 'queued';
