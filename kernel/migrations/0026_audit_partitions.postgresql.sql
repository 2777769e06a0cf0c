-- Events by the month, in the order of their ids, so that old ones go with a table of their own. No row is moved. Each
-- number is there once in a chain because whoever extends one moves its head; within a partition an index says so too.
ALTER TABLE audit_events VALIDATE CONSTRAINT audit_events_bound;

-- The planner is told that a company has some hundreds of events in a partition, and a team a third of them: enough to
-- go by the index that names it, and to merge the partitions in the order of ids instead of sorting all that it has.
ALTER TABLE audit_events ALTER COLUMN org_id SET (n_distinct = -0.001);

ALTER TABLE audit_events ALTER COLUMN team_id SET (n_distinct = 3);

ANALYZE audit_events (org_id, team_id);

ALTER TABLE audit_events RENAME TO audit_events_first;

ALTER INDEX audit_events_pkey RENAME TO audit_events_first_pkey;

ALTER INDEX audit_events_chain_seq_key RENAME TO audit_events_first_chain_seq_idx;

ALTER INDEX audit_events_of_org RENAME TO audit_events_first_of_org;

ALTER INDEX audit_events_of_team RENAME TO audit_events_first_of_team;

CREATE TABLE audit_events (LIKE audit_events_first INCLUDING DEFAULTS) PARTITION BY RANGE (id);

ALTER TABLE audit_events ADD PRIMARY KEY (id);

CREATE INDEX audit_events_of_org ON audit_events (org_id, id);

CREATE INDEX audit_events_of_team ON audit_events (org_id, team_id, id);

DO $$
BEGIN
    EXECUTE format(
        'ALTER TABLE audit_events ATTACH PARTITION audit_events_first FOR VALUES FROM (MINVALUE) TO (%L)',
        (
            SELECT substring(pg_get_constraintdef(oid) FROM '''([^'']*)''') FROM pg_constraint
            WHERE conname = 'audit_events_bound' AND conrelid = 'audit_events_first'::regclass
        )
    );
END
$$;

ALTER TABLE audit_events_first DROP CONSTRAINT audit_events_bound;

CREATE TABLE audit_events_default PARTITION OF audit_events DEFAULT;

CREATE UNIQUE INDEX audit_events_default_chain_seq_idx ON audit_events_default (chain, seq);

ALTER TABLE audit_events_default ALTER COLUMN org_id SET (n_distinct = -0.001);

ALTER TABLE audit_events_default ALTER COLUMN team_id SET (n_distinct = 3);
