-- What plugins may read of jobs: see docs/plugins/views.md.
CREATE VIEW published_jobs AS
SELECT id, org_id, team_id, kind, state, created_at, finished_at FROM jobs;
