-- name: hold_head [quick]
INSERT INTO audit_heads (chain, seq, mac, seal) VALUES (:chain, 0, '', '')
ON CONFLICT (chain) DO UPDATE SET seq = audit_heads.seq
RETURNING chain, seq, mac

-- name: lock_and_read_end (sqlite)
SELECT chain, seq, mac FROM audit_heads WHERE chain = :chain AND :number IS NOT NULL

-- name: lock_and_read_end (postgresql)
-- A row in any case, so that the lock is taken.
SELECT pg_advisory_xact_lock(CAST(:number AS BIGINT)) AS locked, head.chain, head.seq, head.mac
FROM (SELECT 1) AS one LEFT JOIN audit_heads AS head ON head.chain = :chain

-- name: add_event [quick]
INSERT INTO audit_events (
    id, chain, seq, org_id, team_id, at, actor_id, actor_name,
    action, target_type, target_id, detail, request_id, mac
) VALUES (
    :id, :chain, :seq, :org_id, :team_id, :at, :actor_id, :actor_name,
    :action, :target_type, :target_id, :detail, :request_id, :mac
)

-- name: add_events (sqlite)
INSERT INTO audit_events (
    id, chain, seq, org_id, team_id, at, actor_id, actor_name,
    action, target_type, target_id, detail, request_id, mac
)
SELECT
    value ->> 'id', value ->> 'chain', value ->> 'seq', value ->> 'org_id', value ->> 'team_id', value ->> 'at',
    value ->> 'actor_id', value ->> 'actor_name', value ->> 'action', value ->> 'target_type',
    value ->> 'target_id', value ->> 'detail', value ->> 'request_id', value ->> 'mac'
FROM json_each(:events)

-- name: add_events (postgresql)
INSERT INTO audit_events (
    id, chain, seq, org_id, team_id, at, actor_id, actor_name,
    action, target_type, target_id, detail, request_id, mac
)
SELECT
    id, chain, seq, org_id, team_id, at, actor_id, actor_name,
    action, target_type, target_id, detail, request_id, mac
FROM jsonb_to_recordset(CAST(:events AS JSONB)) AS given (
    id TEXT, chain TEXT, seq BIGINT, org_id TEXT, team_id TEXT, at BIGINT, actor_id TEXT, actor_name TEXT,
    action TEXT, target_type TEXT, target_id TEXT, detail TEXT, request_id TEXT, mac TEXT
)

-- name: move_head (sqlite) [quick]
-- With the first event; a row where the chain ended where it was thought to.
UPDATE audit_heads SET seq = :seq_after, mac = :mac_after, seal = :seal
WHERE chain = :chain AND seq = :seq_before AND mac = :mac_before;
INSERT INTO audit_events (
    id, chain, seq, org_id, team_id, at, actor_id, actor_name,
    action, target_type, target_id, detail, request_id, mac
)
SELECT
    :id, chain, :seq, :org_id, :team_id, :at, :actor_id, :actor_name,
    :action, :target_type, :target_id, :detail, :request_id, :mac
FROM audit_heads
WHERE chain = :chain AND seq = :seq_after AND mac = :mac_after
RETURNING id

-- name: move_head (postgresql)
WITH moved AS (
    UPDATE audit_heads SET seq = :seq_after, mac = :mac_after, seal = :seal
    WHERE chain = :chain AND seq = :seq_before AND mac = :mac_before
    RETURNING chain
),
added AS (
    INSERT INTO audit_events (
        id, chain, seq, org_id, team_id, at, actor_id, actor_name,
        action, target_type, target_id, detail, request_id, mac
    )
    SELECT
        CAST(:id AS TEXT), moved.chain, CAST(:seq AS BIGINT), CAST(:org_id AS TEXT),
        CAST(:team_id AS TEXT), CAST(:at AS BIGINT), CAST(:actor_id AS TEXT),
        CAST(:actor_name AS TEXT), CAST(:action AS TEXT), CAST(:target_type AS TEXT),
        CAST(:target_id AS TEXT), CAST(:detail AS TEXT), CAST(:request_id AS TEXT),
        CAST(:mac AS TEXT)
    FROM moved
)
SELECT chain FROM moved

-- name: count_events
-- A chain numbers its events without a gap, so that its head knows how many there were, and its floor how many went.
SELECT CAST(
    (SELECT COALESCE(SUM(seq), 0) FROM audit_heads)
    - (SELECT COALESCE(SUM(seq), 0) FROM audit_checkpoints WHERE kind = 'floor')
    AS BIGINT
)

-- name: restored_from
SELECT value FROM instance_facts WHERE key = 'restored_from'

-- name: forget_restored_from
DELETE FROM instance_facts WHERE key = 'restored_from' RETURNING value
