-- A job that another one asked for and waits for. It is cancelled with `within`; while `lender` runs and lends to
-- no other, it runs in that one's place under the limit of its team. The two differ where it was there already,
-- asked for by somebody else under the same unique key.
ALTER TABLE jobs ADD COLUMN within $ID;

ALTER TABLE jobs ADD COLUMN lender $ID;

CREATE INDEX jobs_within ON jobs (within) WHERE within IS NOT NULL;

CREATE INDEX jobs_borrowing ON jobs (org_id, team_id, lender) WHERE lender IS NOT NULL AND state = 'running';

CREATE INDEX jobs_to_borrow ON jobs (team_id, pool, lender, priority DESC, run_at, id)
    WHERE lender IS NOT NULL AND state = 'queued';

-- The permissions that the credential which asked was limited to, as JSON; NULL is no limit.
ALTER TABLE jobs ADD COLUMN scope TEXT;

-- How long it was put off in all because somebody said "too many requests".
ALTER TABLE jobs ADD COLUMN put_off_ms BIGINT NOT NULL DEFAULT 0;
