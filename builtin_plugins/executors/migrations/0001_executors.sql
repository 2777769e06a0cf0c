-- Executors made over the API; the local one and those of the environment have no row. Without org_id an
-- executor is for every company. One that an operator made (trusted) may live on a private address.
CREATE TABLE executors (
    id $ID PRIMARY KEY,
    org_id $ID REFERENCES orgs (id),
    name TEXT NOT NULL,
    name_key $ID NOT NULL,
    mode TEXT NOT NULL CHECK (mode IN ('push', 'pull')),
    model TEXT,
    url TEXT,
    capabilities TEXT NOT NULL,
    trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)),
    created_at BIGINT NOT NULL,
    retired_at BIGINT,
    CHECK (mode = 'pull' OR url IS NOT NULL)
);

CREATE UNIQUE INDEX executors_of_everybody ON executors (name_key)
    WHERE org_id IS NULL AND retired_at IS NULL;

CREATE UNIQUE INDEX executors_of_org ON executors (org_id, name_key)
    WHERE org_id IS NOT NULL AND retired_at IS NULL;

-- The last probe of an executor that is pushed to, those of the environment included, and from when the next
-- may be made.
CREATE TABLE executor_health (
    executor_id $ID PRIMARY KEY,
    reachable INTEGER CHECK (reachable IN (0, 1)),
    detail TEXT,
    checked_at BIGINT,
    probe_after BIGINT NOT NULL
);
