-- name: hold_head [quick]
INSERT INTO audit_heads (chain, seq, mac, seal) VALUES (:chain, 0, '', '')
ON CONFLICT (chain) DO UPDATE SET seq = audit_heads.seq
RETURNING seq, mac

-- name: add_event [quick]
INSERT INTO audit_events (
    id, chain, seq, org_id, team_id, at, actor_id, actor_name,
    action, target_type, target_id, detail, request_id, mac
) VALUES (
    :id, :chain, :seq, :org_id, :team_id, :at, :actor_id, :actor_name,
    :action, :target_type, :target_id, :detail, :request_id, :mac
)

-- name: move_head [quick]
UPDATE audit_heads SET seq = :seq, mac = :mac, seal = :seal WHERE chain = :chain

-- name: events_of_org
SELECT id, at, actor_id, actor_name, action, target_type, target_id, detail, request_id
FROM audit_events
WHERE org_id = :org_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: events_of_team
SELECT id, at, actor_id, actor_name, action, target_type, target_id, detail, request_id
FROM audit_events
WHERE org_id = :org_id AND team_id = :team_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: chains
SELECT chain FROM audit_heads UNION SELECT DISTINCT chain FROM audit_events ORDER BY chain

-- name: ends_of_chain
SELECT
    (SELECT seq FROM audit_heads WHERE chain = :chain) AS seq,
    (SELECT mac FROM audit_heads WHERE chain = :chain) AS mac,
    (SELECT seal FROM audit_heads WHERE chain = :chain) AS seal,
    (SELECT MAX(seq) FROM audit_events WHERE chain = :chain) AS last_event

-- name: events_of_chain
SELECT * FROM audit_events WHERE chain = :chain AND seq > :after AND seq <= :until ORDER BY seq LIMIT :limit
