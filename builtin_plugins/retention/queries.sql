-- name: periods
SELECT name, days, days_before, since, looked_at, thrown_away FROM retention_periods

-- name: period [quick]
SELECT days, days_before, since, looked_at, thrown_away FROM retention_periods WHERE name = :name

-- name: announce
INSERT INTO retention_periods (name, days, days_before, since, looked_at, thrown_away)
VALUES (:name, :days, :days_before, :now, 0, 0)
ON CONFLICT (name) DO UPDATE SET days = excluded.days, days_before = excluded.days_before, since = excluded.since

-- name: take_turn
-- One process at a time; who was far ahead of now had a wrong clock.
UPDATE retention_periods SET looked_at = :now
WHERE name = :name AND (looked_at <= :before OR looked_at > :ahead)
RETURNING days, days_before, since

-- name: add_thrown_away
-- Whoever takes longer than a turn keeps it.
UPDATE retention_periods SET thrown_away = thrown_away + :many, looked_at = :now WHERE name = :name

-- name: count_of_names
SELECT COUNT(*) AS many FROM retention_periods WHERE name IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: drop_names
DELETE FROM retention_periods WHERE name IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)
