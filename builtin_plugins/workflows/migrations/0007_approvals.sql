-- `form` is a JSON Schema, `answer` what was filled in. Who is asked stands in `role` or in `approval_people`; `open` is
-- 1 until it is decided, or its run is over.
CREATE TABLE approvals (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    run_id $ID NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    step TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT,
    form TEXT,
    role TEXT,
    requested_by $ID NOT NULL REFERENCES users (id),
    requested_at BIGINT NOT NULL,
    expires_at BIGINT,
    open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
    decision TEXT CHECK (decision IN ('approve', 'reject')),
    decided_by $ID REFERENCES users (id),
    decided_at BIGINT,
    comment TEXT,
    answer TEXT
);

CREATE INDEX approvals_of_run ON approvals (run_id, number);

CREATE INDEX approvals_by_role ON approvals (team_id, role, id) WHERE role IS NOT NULL AND open = 1;

CREATE INDEX approvals_of_starter ON approvals (team_id, requested_by, id) WHERE open = 1;

CREATE TABLE approval_people (
    approval_id $ID NOT NULL REFERENCES approvals (id) ON DELETE CASCADE,
    team_id $ID NOT NULL REFERENCES teams (id),
    user_id $ID NOT NULL,
    open INTEGER NOT NULL DEFAULT 1 CHECK (open IN (0, 1)),
    PRIMARY KEY (approval_id, user_id)
);

CREATE INDEX approval_people_asked ON approval_people (team_id, user_id, approval_id) WHERE open = 1;
