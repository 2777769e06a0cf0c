-- The first answer to a POST that carried an Idempotency-Key, kept for a day.
-- running: somebody is at it; applied: its change has committed; done: the answer is here.
CREATE TABLE idempotency_keys (
    caller $ID NOT NULL,
    key $ID NOT NULL,
    fingerprint TEXT NOT NULL,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    status INTEGER,
    answer TEXT,
    resource_id TEXT,
    PRIMARY KEY (caller, key)
);

CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
