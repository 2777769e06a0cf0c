-- Lists of jobs by state, and by kind with or without one.
CREATE INDEX jobs_by_state ON jobs (team_id, state, id);

CREATE INDEX jobs_by_kind ON jobs (team_id, kind, state, id);

-- Plans are made once for every team. Where teams are few, the planner would take each for a large part of the
-- table and walk all of it in the order of ids, past everybody else's rows, to find the ones of a small team.
-- It is told that whatever belongs to one of them is little, which makes it go by the indexes that name it.
ALTER TABLE jobs ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE audit_events ALTER COLUMN org_id SET (n_distinct = -0.05);

ALTER TABLE audit_events ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE credentials ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE credentials ALTER COLUMN user_id SET (n_distinct = -0.05);

ALTER TABLE memberships ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE users ALTER COLUMN org_id SET (n_distinct = -0.05);

ALTER TABLE teams ALTER COLUMN org_id SET (n_distinct = -0.05);
