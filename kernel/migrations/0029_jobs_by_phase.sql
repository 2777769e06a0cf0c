-- Lists of jobs by state and by kind. Those that are over have an index, and those that are not another: a claim,
-- which makes one of the latter another of them, changes neither.
DROP INDEX jobs_by_state;

DROP INDEX jobs_by_kind;

CREATE INDEX jobs_unfinished ON jobs (team_id, kind, id) WHERE state IN ('scheduled', 'queued', 'running');

CREATE INDEX jobs_ended ON jobs (team_id, state, kind, id) WHERE state IN ('succeeded', 'failed', 'cancelled');
