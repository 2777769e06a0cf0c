-- `input` and `scope` are JSON; `size` is what the row takes of a page. `due_at` is null while nothing is to come; the
-- job that looks at the schedule then is `job_id`. Ready-made ones have a plugin and a name, and no owner until
-- somebody of the team turns them on.
CREATE TABLE schedules (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    workflow_slug $ID NOT NULL,
    cron TEXT,
    every_seconds BIGINT,
    timezone TEXT NOT NULL,
    begins BIGINT NOT NULL,
    input TEXT NOT NULL,
    size BIGINT NOT NULL,
    missed TEXT NOT NULL CHECK (missed IN ('none', 'last', 'all')),
    overlap TEXT NOT NULL CHECK (overlap IN ('skip', 'queue', 'cancel')),
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    owner_id $ID REFERENCES users (id),
    made_with $ID,
    scope TEXT,
    due_at BIGINT,
    queued_until BIGINT,
    job_id $ID,
    last_run_id $ID,
    last_at BIGINT,
    last_skipped TEXT,
    stopped_code TEXT,
    stopped_message TEXT,
    stopped_at BIGINT,
    plugin $ID,
    name $ID,
    ready TEXT,
    changed INTEGER NOT NULL CHECK (changed IN (0, 1)),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX schedules_of_team ON schedules (team_id, id);

CREATE INDEX schedules_of_owner ON schedules (team_id, owner_id) WHERE owner_id IS NOT NULL;

CREATE UNIQUE INDEX schedules_ready_made ON schedules (team_id, plugin, name) WHERE plugin IS NOT NULL;

CREATE INDEX schedules_that_wait ON schedules (last_run_id) WHERE queued_until IS NOT NULL;

CREATE INDEX schedules_by_job ON schedules (job_id) WHERE job_id IS NOT NULL;
