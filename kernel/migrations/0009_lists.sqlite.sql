-- Lists of jobs by state, and by kind with or without one.
CREATE INDEX jobs_by_state ON jobs (team_id, state, id);

CREATE INDEX jobs_by_kind ON jobs (team_id, kind, state, id);
