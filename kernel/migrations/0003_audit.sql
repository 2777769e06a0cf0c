-- One chain of events per company, and one for the instance. Each event's mac covers the one before it.
CREATE TABLE audit_events (
    id $ID PRIMARY KEY,
    chain $ID NOT NULL,
    seq BIGINT NOT NULL,
    org_id $ID,
    team_id $ID,
    at BIGINT NOT NULL,
    actor_id $ID,
    actor_name TEXT NOT NULL,
    action TEXT NOT NULL,
    target_type TEXT,
    target_id TEXT,
    detail TEXT NOT NULL,
    request_id TEXT,
    mac TEXT NOT NULL,
    UNIQUE (chain, seq)
);

CREATE INDEX audit_events_of_org ON audit_events (org_id, id);

CREATE INDEX audit_events_of_team ON audit_events (org_id, team_id, id);

-- Where each chain ends. The seal is made with the key, so that a cut-off tail cannot pass for the end.
CREATE TABLE audit_heads (
    chain $ID PRIMARY KEY,
    seq BIGINT NOT NULL,
    mac TEXT NOT NULL,
    seal TEXT NOT NULL
);
