-- name: offered
SELECT
    e.id, e.org_id, e.name, e.mode, e.model, e.url, e.capabilities,
    h.reachable, h.detail, h.checked_at, q.fingerprint, q.flags
FROM (
    SELECT id, org_id, name, mode, model, url, capabilities FROM executors WHERE org_id IS NULL AND retired_at IS NULL
    UNION ALL
    SELECT id, org_id, name, mode, model, url, capabilities FROM executors WHERE org_id = :org_id AND retired_at IS NULL
) AS e
LEFT JOIN executor_health AS h ON h.executor_id = e.id
LEFT JOIN executor_quirks AS q ON q.executor_id = e.id

-- name: every
SELECT
    e.id, e.org_id, e.name, e.mode, e.model, e.url, e.capabilities,
    h.reachable, h.detail, h.checked_at, q.fingerprint, q.flags
FROM executors AS e
LEFT JOIN executor_health AS h ON h.executor_id = e.id
LEFT JOIN executor_quirks AS q ON q.executor_id = e.id
WHERE e.retired_at IS NULL

-- name: count_of_org
SELECT COUNT(*) FROM executors WHERE org_id = :org_id AND retired_at IS NULL

-- name: insert
INSERT INTO executors (
    id, org_id, name, name_key, mode, model, url, capabilities, trusted, created_at
)
SELECT
    CAST(:id AS TEXT), CAST(:org_id AS TEXT), CAST(:name AS TEXT), CAST(:name_key AS TEXT),
    CAST(:mode AS TEXT), CAST(:model AS TEXT), CAST(:url AS TEXT), CAST(:capabilities AS TEXT),
    CAST(:trusted AS INTEGER), CAST(:now AS BIGINT)
WHERE NOT EXISTS (
    SELECT 1 FROM executors WHERE name_key = :name_key AND retired_at IS NULL AND org_id IS NULL
) AND NOT EXISTS (
    SELECT 1 FROM executors WHERE name_key = :name_key AND retired_at IS NULL AND org_id = CAST(:org_id AS TEXT)
)
RETURNING id

-- name: retire
UPDATE executors SET retired_at = :now
WHERE id = :id AND retired_at IS NULL
RETURNING org_id, name, mode

-- name: forget_health
DELETE FROM executor_health WHERE executor_id = :id

-- name: push_endpoint [quick]
SELECT id, org_id, url, model, trusted FROM executors
WHERE id = :id AND mode = 'push' AND retired_at IS NULL

-- name: push_endpoints
SELECT id, org_id, url, model, trusted FROM executors WHERE mode = 'push' AND retired_at IS NULL ORDER BY id

-- name: probe_turns
SELECT executor_id, probe_after FROM executor_health

-- name: take_probe
-- A time too far ahead is from a clock that was since set back.
INSERT INTO executor_health (executor_id, probe_after) VALUES (:id, :until)
ON CONFLICT (executor_id) DO UPDATE SET probe_after = excluded.probe_after
WHERE executor_health.probe_after <= :now OR executor_health.probe_after > :until
RETURNING executor_id

-- name: record_probe
UPDATE executor_health SET reachable = :reachable, detail = :detail, checked_at = :now
WHERE executor_id = :id

-- name: record_now
INSERT INTO executor_health (executor_id, reachable, detail, checked_at, probe_after)
SELECT
    CAST(:id AS TEXT), CAST(:reachable AS INTEGER), CAST(:detail AS TEXT), CAST(:now AS BIGINT),
    CAST(:now AS BIGINT)
WHERE NOT EXISTS (SELECT 1 FROM executors WHERE id = :id AND retired_at IS NOT NULL)
ON CONFLICT (executor_id) DO UPDATE
SET reachable = excluded.reachable, detail = excluded.detail, checked_at = excluded.checked_at

-- name: seen [quick]
-- Of the local one and those of the environment, whose own row is in no table.
SELECT h.reachable, h.detail, h.checked_at, q.fingerprint, q.flags
FROM (SELECT CAST(:id AS TEXT) AS id) AS e
LEFT JOIN executor_health AS h ON h.executor_id = e.id
LEFT JOIN executor_quirks AS q ON q.executor_id = e.id
