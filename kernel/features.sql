-- name: switches_of_team [quick]
SELECT switches FROM teams WHERE id = :team_id

-- name: lock_switches (sqlite)
SELECT switches FROM teams WHERE id = :team_id

-- name: lock_switches (postgresql)
-- Two who switch at once: the second sees what the first did.
SELECT switches FROM teams WHERE id = :team_id FOR NO KEY UPDATE

-- name: set_switches
UPDATE teams SET switches = :switches WHERE id = :team_id

-- name: switched (sqlite)
SELECT teams.id, teams.switches FROM teams
WHERE EXISTS (
    SELECT 1 FROM json_each(teams.switches) AS chosen
    WHERE chosen.key IN (SELECT given.value FROM json_each(:names) AS given)
)
ORDER BY teams.id

-- name: switched (postgresql)
SELECT teams.id, teams.switches FROM teams
WHERE EXISTS (
    SELECT 1 FROM json_each_text(CAST(teams.switches AS JSON)) AS chosen
    WHERE chosen.key IN (SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)))
)
ORDER BY teams.id
FOR NO KEY UPDATE

-- name: count_switched (sqlite)
SELECT COUNT(*) AS many FROM teams, json_each(teams.switches) AS chosen
WHERE chosen.key IN (SELECT given.value FROM json_each(:names) AS given)

-- name: count_switched (postgresql)
SELECT COUNT(*) AS many FROM teams CROSS JOIN LATERAL json_each_text(CAST(teams.switches AS JSON)) AS chosen
WHERE chosen.key IN (SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)))
