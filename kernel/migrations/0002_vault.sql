-- Keys that seal data, each wrapped by the instance's secret key. One of each purpose is active: the
-- column is 1 or NULL, so that the database itself refuses a second.
CREATE TABLE data_keys (
    id $ID PRIMARY KEY,
    purpose TEXT NOT NULL,
    active INTEGER CHECK (active = 1),
    wrapped TEXT NOT NULL,
    wrapped_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (purpose, active)
);

CREATE TABLE secrets (
    kind $ID NOT NULL,
    org_id $ID NOT NULL,
    ref $ID NOT NULL,
    key_id $ID NOT NULL REFERENCES data_keys (id),
    sealed TEXT NOT NULL,
    PRIMARY KEY (kind, org_id, ref)
);

CREATE INDEX secrets_by_key ON secrets (key_id);
