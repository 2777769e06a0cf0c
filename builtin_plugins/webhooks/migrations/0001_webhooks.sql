-- An address that a team subscribed to events. It acts as its owner, in the scope of the credential that said last where
-- it leads. `filter` and `scope` are JSON. `failures` counts deliveries that failed in a row, `failing_since` says when
-- the first of them did, and until `rest_until` nothing is sent. `job_id` is the job that sends what waits.
CREATE TABLE webhooks (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    filter TEXT NOT NULL,
    ordered INTEGER NOT NULL CHECK (ordered IN (0, 1)),
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    owner_id $ID NOT NULL REFERENCES users (id),
    made_with $ID,
    scope TEXT,
    old_secret_until BIGINT,
    failures INTEGER NOT NULL DEFAULT 0,
    failing_since BIGINT,
    rest_until BIGINT,
    job_id $ID,
    stopped_code TEXT,
    stopped_message TEXT,
    stopped_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX webhooks_of_team ON webhooks (team_id, id);

CREATE INDEX webhooks_by_job ON webhooks (job_id) WHERE job_id IS NOT NULL;

-- Which events of a team lead to which addresses, for who causes one.
CREATE TABLE webhook_events (
    team_id $ID NOT NULL,
    event $ID NOT NULL,
    webhook_id $ID NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    PRIMARY KEY (team_id, event, webhook_id)
);

CREATE INDEX webhook_events_of_webhook ON webhook_events (webhook_id);

-- One event for one address. `body` is what is sent, the same at each attempt. While it waits, `due_at` is when it is
-- tried next. `told_by` is the job that told of the event: jobs before it may tell of earlier ones.
CREATE TABLE webhook_deliveries (
    id $ID PRIMARY KEY,
    webhook_id $ID NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    org_id $ID NOT NULL,
    team_id $ID NOT NULL,
    event_id $ID NOT NULL,
    event $ID NOT NULL,
    told_by $ID,
    body TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed', 'skipped')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at BIGINT,
    first_at BIGINT,
    last_at BIGINT,
    duration_ms BIGINT,
    response_status INTEGER,
    response_body TEXT,
    error TEXT,
    created_at BIGINT NOT NULL,
    finished_at BIGINT
);

CREATE UNIQUE INDEX webhook_deliveries_of_event ON webhook_deliveries (webhook_id, event_id);

CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, id);

CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, due_at) WHERE state = 'waiting';

CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, event_id) WHERE state = 'waiting';

CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- An address of ours that starts a workflow, as its owner. `schema` and `scope` are JSON.
CREATE TABLE hooks_in (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    workflow_slug $ID NOT NULL,
    scheme TEXT NOT NULL CHECK (scheme IN ('standard', 'github', 'stripe', 'slack', 'none')),
    schema TEXT,
    wait_seconds INTEGER NOT NULL,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    owner_id $ID NOT NULL REFERENCES users (id),
    made_with $ID,
    scope TEXT,
    last_at BIGINT,
    stopped_code TEXT,
    stopped_message TEXT,
    stopped_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX hooks_in_of_team ON hooks_in (team_id, id);

-- What came in. `delivery_key` is the sender's own id of it, by which a repeat is known; null for what started nothing,
-- so that it can be sent again.
CREATE TABLE hook_in_deliveries (
    id $ID PRIMARY KEY,
    hook_id $ID NOT NULL REFERENCES hooks_in (id) ON DELETE CASCADE,
    org_id $ID NOT NULL,
    team_id $ID NOT NULL,
    delivery_key TEXT,
    state TEXT NOT NULL CHECK (state IN ('started', 'refused')),
    body TEXT NOT NULL,
    run_id $ID,
    replay_of $ID,
    error TEXT,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX hook_in_deliveries_by_key ON hook_in_deliveries (hook_id, delivery_key)
    WHERE delivery_key IS NOT NULL;

CREATE INDEX hook_in_deliveries_of_hook ON hook_in_deliveries (hook_id, id);

CREATE INDEX hook_in_deliveries_by_time ON hook_in_deliveries (created_at);
