-- name: scanned [part]
SELECT id, at, actor_id, actor_name, action, target_type, target_id, detail, request_id
FROM (
    SELECT id, team_id, at, actor_id, actor_name, action, target_type, target_id, detail, request_id
    FROM audit_events
    WHERE org_id = :org_id AND id < :before AND id >= :since

-- name: as_sought [part]
    ORDER BY id DESC
    LIMIT :max_scanned
) AS scanned
-- Whoever did it, where the actor is empty; whatever it was, where the action is; a noun stands for all its verbs.
WHERE (CAST(:team_id AS TEXT) = '' OR team_id = CAST(:team_id AS TEXT))
    AND (CAST(:actor AS TEXT) = '' OR actor_id = CAST(:actor AS TEXT))
    AND (CAST(:target AS TEXT) = '' OR target_id = CAST(:target AS TEXT))
    AND (
        CAST(:action AS TEXT) = '' OR action = CAST(:action AS TEXT)
        OR substr(action, 1, length(CAST(:action AS TEXT)) + 1) = CAST(:action AS TEXT) || '.'
    )
ORDER BY id DESC
LIMIT :limit

-- name: found_of_org [long]
-- Of so many events and no more: what is sought may be nowhere.
-- use: scanned
-- use: as_sought

-- name: ended_of_org
-- Where such a look ended; nothing where it came to the end of all.
SELECT id FROM audit_events
WHERE org_id = :org_id AND id < :before AND id >= :since
ORDER BY id DESC
LIMIT 1 OFFSET :passed

-- name: found_of_team [long]
-- use: scanned
    AND team_id = :team_id
-- use: as_sought

-- name: ended_of_team
SELECT id FROM audit_events
WHERE org_id = :org_id AND team_id = :team_id AND id < :before AND id >= :since
ORDER BY id DESC
LIMIT 1 OFFSET :passed

-- name: found_of_actor [long]
-- use: scanned
    AND actor_id = :actor
-- use: as_sought

-- name: ended_of_actor
SELECT id FROM audit_events
WHERE org_id = :org_id AND actor_id = :actor AND id < :before AND id >= :since
ORDER BY id DESC
LIMIT 1 OFFSET :passed

-- name: found_of_target [long]
-- use: scanned
    AND target_id = :target
-- use: as_sought

-- name: ended_of_target
SELECT id FROM audit_events
WHERE org_id = :org_id AND target_id = :target AND id < :before AND id >= :since
ORDER BY id DESC
LIMIT 1 OFFSET :passed

-- name: days_of_org [long, may lag]
-- How many events each day has, up to a bound: by an index alone, whatever they are.
SELECT wanted.value ->> 0 AS day, (
    SELECT COUNT(*) FROM (
        SELECT 1 FROM audit_events
        WHERE org_id = :org_id AND id >= wanted.value ->> 1 AND id < wanted.value ->> 2
        LIMIT :max_counted
    ) AS counted
) AS events
FROM json_each(:days) AS wanted -- (sqlite)
FROM json_array_elements(CAST(CAST(:days AS TEXT) AS JSON)) AS wanted (value) -- (postgresql)

-- name: days_of_team [long, may lag]
SELECT wanted.value ->> 0 AS day, (
    SELECT COUNT(*) FROM (
        SELECT 1 FROM audit_events
        WHERE org_id = :org_id AND team_id = :team_id AND id >= wanted.value ->> 1 AND id < wanted.value ->> 2
        LIMIT :max_counted
    ) AS counted
) AS events
FROM json_each(:days) AS wanted -- (sqlite)
FROM json_array_elements(CAST(CAST(:days AS TEXT) AS JSON)) AS wanted (value) -- (postgresql)

-- name: days_of_actor [long, may lag]
SELECT wanted.value ->> 0 AS day, (
    SELECT COUNT(*) FROM (
        SELECT 1 FROM audit_events
        WHERE org_id = :org_id AND actor_id = :actor AND id >= wanted.value ->> 1 AND id < wanted.value ->> 2
            AND (CAST(:team_id AS TEXT) = '' OR team_id = CAST(:team_id AS TEXT))
        LIMIT :max_counted
    ) AS counted
) AS events
FROM json_each(:days) AS wanted -- (sqlite)
FROM json_array_elements(CAST(CAST(:days AS TEXT) AS JSON)) AS wanted (value) -- (postgresql)
