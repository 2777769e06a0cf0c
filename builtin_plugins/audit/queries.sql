-- name: count_older [long]
-- Only what a checkpoint has vouched for goes.
SELECT COUNT(*) FROM audit_events AS events
WHERE events.id < :before AND events.seq <= (
    SELECT verified.seq FROM audit_checkpoints AS verified
    WHERE verified.chain = events.chain AND verified.kind = 'verified'
    ORDER BY verified.seq DESC LIMIT 1
)

-- name: due_chains
-- Those whose first event is old enough.
SELECT heads.chain FROM audit_heads AS heads
WHERE heads.chain > :after AND EXISTS (
    SELECT 1 FROM audit_events AS first_event
    WHERE first_event.chain = heads.chain AND first_event.at < :before AND first_event.seq = (
        SELECT MIN(events.seq) FROM audit_events AS events WHERE events.chain = heads.chain
    )
)
ORDER BY heads.chain
LIMIT :limit

-- name: first_events
-- Up to the first that is not old enough; the order is that of the chain, whatever the clock was set to.
SELECT * FROM (
    SELECT next_ones.*, MAX(at) OVER (ORDER BY seq) AS youngest FROM (
        SELECT * FROM audit_events WHERE chain = :chain AND seq <= :until ORDER BY seq LIMIT :limit
    ) AS next_ones
) AS following
WHERE youngest < :before
ORDER BY seq

-- name: floor
SELECT chain, seq, mac, at, kind, seal FROM audit_checkpoints
WHERE chain = :chain AND kind = 'floor'
ORDER BY seq DESC LIMIT 1

-- name: next_verified
SELECT chain, seq, mac, at, kind, seal FROM audit_checkpoints
WHERE chain = :chain AND seq > :after AND kind = 'verified'
ORDER BY seq LIMIT 1

-- name: set_floor
INSERT INTO audit_checkpoints (chain, seq, mac, at, kind, seal)
VALUES (:chain, :seq, :mac, :at, :kind, :seal)
ON CONFLICT (chain, seq) DO UPDATE SET mac = excluded.mac, at = excluded.at, kind = excluded.kind, seal = excluded.seal

-- name: forget_checkpoints
DELETE FROM audit_checkpoints WHERE chain = :chain AND seq < :before

-- name: delete_events
DELETE FROM audit_events WHERE chain = :chain AND seq <= :until

-- name: event_up_to
SELECT id, seq FROM audit_events WHERE chain = :chain AND seq <= :until ORDER BY seq LIMIT 1

-- name: chains
-- Of the events by skipping from one chain to the next: there are many events, and few chains.
WITH RECURSIVE named (chain) AS (
    SELECT MIN(chain) FROM audit_events
    UNION ALL
    SELECT (SELECT MIN(events.chain) FROM audit_events AS events WHERE events.chain > named.chain)
    FROM named WHERE named.chain IS NOT NULL
)
SELECT chain FROM audit_heads UNION SELECT chain FROM named WHERE chain IS NOT NULL ORDER BY chain

-- name: companies_without_chain
-- Looked up one by one: of EXISTS PostgreSQL would make a table of all events.
SELECT id FROM published_companies AS companies
WHERE COALESCE(
    (SELECT 1 FROM audit_heads WHERE audit_heads.chain = companies.id),
    (SELECT 1 FROM audit_events WHERE audit_events.chain = companies.id ORDER BY seq LIMIT 1)
) IS NULL
ORDER BY id

-- name: is_company [quick]
SELECT 1 AS found FROM published_companies WHERE id = :id

-- name: checkpoints
SELECT chain, seq, mac, at, kind, seal FROM audit_checkpoints
WHERE chain = :chain AND seq >= :first
ORDER BY seq

-- name: last_checkpoint
SELECT seq FROM audit_checkpoints WHERE chain = :chain AND at <= :since ORDER BY seq DESC LIMIT 1

-- name: add_checkpoint
INSERT INTO audit_checkpoints (chain, seq, mac, at, kind, seal)
VALUES (:chain, :seq, :mac, :at, :kind, :seal)
ON CONFLICT (chain, seq) DO NOTHING

-- name: due_for_checkpoint
SELECT heads.chain, heads.seq
FROM audit_heads AS heads
LEFT JOIN audit_checkpoints AS last ON last.chain = heads.chain AND last.seq = (
    SELECT MAX(made.seq) FROM audit_checkpoints AS made WHERE made.chain = heads.chain
)
WHERE heads.chain > :after AND heads.seq > COALESCE(last.seq, 0)
    AND (heads.seq - COALESCE(last.seq, 0) >= :every OR COALESCE(last.at, 0) < :before)
ORDER BY heads.chain
LIMIT :limit

-- name: heads
SELECT chain, seq, mac FROM audit_heads WHERE chain > :after AND seq > 0 ORDER BY chain LIMIT :limit

-- name: events_of_number
-- On PostgreSQL each month sees to it that a number is there once, and no index does so over all of them.
SELECT id, mac FROM audit_events WHERE chain = :chain AND seq = :seq LIMIT 2

-- name: mac_of_event
SELECT mac FROM audit_events WHERE chain = :chain AND seq = :seq

-- name: ends_of_chain
SELECT
    (SELECT seq FROM audit_heads WHERE chain = :chain) AS seq,
    (SELECT mac FROM audit_heads WHERE chain = :chain) AS mac,
    (SELECT seal FROM audit_heads WHERE chain = :chain) AS seal,
    (SELECT MAX(seq) FROM audit_events WHERE chain = :chain) AS last_event

-- name: events_of_chain
SELECT * FROM audit_events WHERE chain = :chain AND seq > :after AND seq <= :until ORDER BY seq LIMIT :limit

-- name: events_after
SELECT * FROM audit_events WHERE chain = :chain AND seq > :after ORDER BY seq LIMIT :limit

-- name: redact_event
UPDATE audit_events SET actor_name = :actor_name, detail = :detail WHERE id = :id

-- name: last_event
SELECT * FROM audit_events WHERE chain = :chain ORDER BY seq DESC LIMIT 1
