-- name: counters [quick]
-- The company's and the team's, each beside what was reserved, has lapsed and is not given back yet: one
-- statement, so that nobody sees the one without the other. What was reserved within a minute is one sum:
-- every window begins with a minute.
SELECT
    counters.team_id, counters.dimension,
    counters.minute_start, counters.minute_used, counters.hour_start, counters.hour_used,
    counters.day_start, counters.day_used, counters.month_start, counters.month_used, counters.total,
    counters.minute_limit, counters.hour_limit, counters.day_limit, counters.month_limit, counters.none_limit,
    holds.amount AS lapsed, holds.reserved_at AS lapsed_from
FROM quota_counters AS counters
LEFT JOIN (
    SELECT team_id, dimension, CAST(SUM(amount) AS BIGINT) AS amount, MIN(reserved_at) AS reserved_at
    FROM quota_holds
    WHERE org_id = :org_id AND returned = 0 AND expires_at <= :now
    GROUP BY team_id, dimension, reserved_at / 60000
) AS holds
    ON holds.dimension = counters.dimension AND counters.team_id IN ('', holds.team_id)
WHERE counters.org_id = :org_id AND counters.team_id IN ('', :team_id)
    AND (CAST(:dimension AS TEXT) IS NULL OR counters.dimension = :dimension)

-- name: save_counters (sqlite) [quick]
INSERT INTO quota_counters (
    org_id, team_id, dimension, minute_start, minute_used, hour_start, hour_used, day_start, day_used,
    month_start, month_used, total
)
SELECT
    :org_id, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6,
    value ->> 7, value ->> 8, value ->> 9, value ->> 10
FROM json_each(:counters) WHERE true
ON CONFLICT (org_id, team_id, dimension) DO UPDATE SET
    minute_start = excluded.minute_start, minute_used = excluded.minute_used,
    hour_start = excluded.hour_start, hour_used = excluded.hour_used,
    day_start = excluded.day_start, day_used = excluded.day_used,
    month_start = excluded.month_start, month_used = excluded.month_used, total = excluded.total

-- name: save_counters (postgresql)
INSERT INTO quota_counters (
    org_id, team_id, dimension, minute_start, minute_used, hour_start, hour_used, day_start, day_used,
    month_start, month_used, total
)
SELECT
    :org_id, value ->> 0, value ->> 1, CAST(value ->> 2 AS BIGINT), CAST(value ->> 3 AS BIGINT),
    CAST(value ->> 4 AS BIGINT), CAST(value ->> 5 AS BIGINT), CAST(value ->> 6 AS BIGINT),
    CAST(value ->> 7 AS BIGINT), CAST(value ->> 8 AS BIGINT), CAST(value ->> 9 AS BIGINT),
    CAST(value ->> 10 AS BIGINT)
FROM json_array_elements(CAST(CAST(:counters AS TEXT) AS JSON)) AS given (value)
ON CONFLICT (org_id, team_id, dimension) DO UPDATE SET
    minute_start = excluded.minute_start, minute_used = excluded.minute_used,
    hour_start = excluded.hour_start, hour_used = excluded.hour_used,
    day_start = excluded.day_start, day_used = excluded.day_used,
    month_start = excluded.month_start, month_used = excluded.month_used, total = excluded.total

-- name: shift_stock [quick]
-- Both counters or none of them: none where one is not there yet, has no room or is limited by a window, and
-- where something that was reserved has lapsed.
UPDATE quota_counters
SET total = CASE WHEN total + CAST(:by AS BIGINT) < 0 THEN 0 ELSE total + CAST(:by AS BIGINT) END
WHERE org_id = :org_id AND team_id IN ('', :team_id) AND dimension = :dimension
    AND NOT EXISTS (
        SELECT 1 FROM quota_holds WHERE org_id = :org_id AND returned = 0 AND expires_at <= :now
    )
    AND (
        SELECT COUNT(*) FROM quota_counters AS counters
        WHERE counters.org_id = :org_id AND counters.team_id IN ('', :team_id)
            AND counters.dimension = :dimension
            AND (
                CAST(:by AS BIGINT) <= 0
                OR (
                    counters.total + CAST(:by AS BIGINT) <= COALESCE(counters.none_limit, 9223372036854775807)
                    AND COALESCE(
                        counters.minute_limit, counters.hour_limit, counters.day_limit, counters.month_limit
                    ) IS NULL
                )
            )
    ) = 2
RETURNING team_id, total, none_limit, 5 * total >= CAST(:tight_fifths AS BIGINT) * none_limit AS is_tight

-- name: managers [quick]
SELECT id FROM published_people
WHERE org_id = :org_id AND org_role IN ('org_owner', 'org_admin') ORDER BY id LIMIT :limit

-- name: hold (sqlite) [quick]
INSERT INTO quota_holds (reservation, dimension, org_id, team_id, amount, reserved_at, expires_at, returned)
SELECT :reservation, key, :org_id, :team_id, value, :now, :expires_at, 0 FROM json_each(:amounts)

-- name: hold (postgresql)
INSERT INTO quota_holds (reservation, dimension, org_id, team_id, amount, reserved_at, expires_at, returned)
SELECT :reservation, key, :org_id, :team_id, CAST(value AS BIGINT), :now, :expires_at, 0
FROM json_each_text(CAST(CAST(:amounts AS TEXT) AS JSON))

-- name: holds_of [quick]
SELECT dimension, amount, returned FROM quota_holds WHERE reservation = :reservation AND org_id = :org_id

-- name: end_hold [quick]
DELETE FROM quota_holds WHERE reservation = :reservation AND org_id = :org_id
RETURNING dimension, amount, reserved_at, returned

-- name: extend_hold [quick]
UPDATE quota_holds SET expires_at = :expires_at
WHERE reservation = :reservation AND org_id = :org_id AND returned = 0 AND expires_at > :now
RETURNING dimension

-- name: grow_hold
UPDATE quota_holds SET amount = amount + :amount
WHERE reservation = :reservation AND org_id = :org_id AND dimension = :dimension

-- name: orgs_with_lapsed_holds
SELECT DISTINCT org_id FROM quota_holds WHERE returned = 0 AND expires_at <= :now

-- name: lapsed_holds
SELECT team_id, dimension, CAST(SUM(amount) AS BIGINT) AS amount, MIN(reserved_at) AS reserved_at
FROM quota_holds
WHERE org_id = :org_id AND returned = 0 AND expires_at <= :now
GROUP BY team_id, dimension, reserved_at / 60000
ORDER BY team_id

-- name: return_lapsed_holds
UPDATE quota_holds SET returned = 1 WHERE org_id = :org_id AND returned = 0 AND expires_at <= :now

-- name: forget_returned_holds
DELETE FROM quota_holds WHERE (reservation, dimension) IN (
    SELECT reservation, dimension FROM quota_holds
    WHERE org_id = :org_id AND returned = 1 AND expires_at <= :until
    LIMIT :limit
)

-- name: set_limit
INSERT INTO quota_counters (
    org_id, team_id, dimension, minute_limit, hour_limit, day_limit, month_limit, none_limit
)
VALUES (
    :org_id, :team_id, :dimension,
    CASE WHEN CAST(:window AS TEXT) = 'minute' THEN CAST(:limit AS BIGINT) END,
    CASE WHEN CAST(:window AS TEXT) = 'hour' THEN CAST(:limit AS BIGINT) END,
    CASE WHEN CAST(:window AS TEXT) = 'day' THEN CAST(:limit AS BIGINT) END,
    CASE WHEN CAST(:window AS TEXT) = 'month' THEN CAST(:limit AS BIGINT) END,
    CASE WHEN CAST(:window AS TEXT) = 'none' THEN CAST(:limit AS BIGINT) END
)
ON CONFLICT (org_id, team_id, dimension) DO UPDATE SET
    minute_limit =
        CASE WHEN CAST(:window AS TEXT) = 'minute' THEN excluded.minute_limit ELSE quota_counters.minute_limit END,
    hour_limit =
        CASE WHEN CAST(:window AS TEXT) = 'hour' THEN excluded.hour_limit ELSE quota_counters.hour_limit END,
    day_limit =
        CASE WHEN CAST(:window AS TEXT) = 'day' THEN excluded.day_limit ELSE quota_counters.day_limit END,
    month_limit =
        CASE WHEN CAST(:window AS TEXT) = 'month' THEN excluded.month_limit ELSE quota_counters.month_limit END,
    none_limit =
        CASE WHEN CAST(:window AS TEXT) = 'none' THEN excluded.none_limit ELSE quota_counters.none_limit END

-- name: count_of_dimensions
SELECT COUNT(*) AS many FROM quota_counters WHERE dimension IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: drop_counters_of_dimensions
DELETE FROM quota_counters WHERE dimension IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: drop_holds_of_dimensions
DELETE FROM quota_holds WHERE dimension IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: teams_of_org
SELECT id, name FROM published_teams WHERE org_id = :org_id AND id > :after ORDER BY id LIMIT :limit

-- name: stocks_of_team
SELECT dimension, total FROM quota_counters WHERE org_id = :org_id AND team_id = :team_id AND total <> 0
