-- name: insert_wait [quick]
INSERT INTO run_waits (run_id, number, org_id, team_id, key, due_at, fired, begun_at, ending)
VALUES (
    :run_id, :number, :org_id, :team_id, CAST(:key AS TEXT), CAST(:due_at AS BIGINT), :fired, :now, :ending
)
ON CONFLICT (run_id, number) DO NOTHING

-- name: note_team [quick]
-- What happens in the team is looked at from now on.
INSERT INTO teams_that_wait (team_id, org_id) VALUES (:team_id, :org_id)
ON CONFLICT (team_id) DO NOTHING

-- name: fire [quick]
-- What was waited for has come; the first counts.
UPDATE run_waits SET fired = 1, due_at = :now, ending = :ending
WHERE team_id = :team_id AND run_id = :run_id AND number = :number AND fired = 0
RETURNING run_id

-- name: due
SELECT run_id, number, team_id, org_id, ending FROM run_waits
WHERE due_at <= :now
ORDER BY due_at
LIMIT :limit

-- name: next_due [quick]
SELECT MIN(due_at) AS due_at FROM run_waits WHERE due_at IS NOT NULL

-- name: waits_at
-- After their runs were locked: who decides about one holds its run.
SELECT run_waits.run_id, run_waits.number, run_waits.key, run_waits.fired, run_waits.ending
FROM json_each(:places) AS given -- (sqlite)
CROSS JOIN run_waits ON run_waits.run_id = (given.value ->> 0) AND run_waits.number = (given.value ->> 1) -- (sqlite)
FROM jsonb_array_elements(CAST(:places AS JSONB)) AS given (value) -- (postgresql)
JOIN run_waits ON run_waits.run_id = (given.value ->> 0) -- (postgresql)
    AND run_waits.number = CAST(given.value ->> 1 AS INTEGER) -- (postgresql)

-- name: wake_steps
UPDATE run_steps SET state = 'running', job_id = NULL
FROM json_each(:places) AS given -- (sqlite)
FROM jsonb_array_elements(CAST(:places AS JSONB)) AS given (value) -- (postgresql)
WHERE run_steps.run_id = (given.value ->> 0)
    AND run_steps.number = (given.value ->> 1) -- (sqlite)
    AND run_steps.number = CAST(given.value ->> 1 AS INTEGER) -- (postgresql)
    AND run_steps.state = 'waiting'
RETURNING run_steps.run_id, run_steps.number, run_steps.name, run_steps.kind

-- name: forget_waits_at
DELETE FROM run_waits WHERE (run_id, number) IN (
    SELECT value ->> 0, value ->> 1 FROM json_each(:places) -- (sqlite)
    SELECT value ->> 0, CAST(value ->> 1 AS INTEGER) FROM jsonb_array_elements(CAST(:places AS JSONB)) -- (postgresql)
)

-- name: forget_wait [quick]
DELETE FROM run_waits WHERE run_id = :run_id AND number = :number

-- name: forget_waits [quick]
DELETE FROM run_waits WHERE run_id = :run_id

-- name: note_waits
-- Whether a run has nothing to do but to wait.
UPDATE runs SET waits = CASE
    WHEN EXISTS (SELECT 1 FROM run_waits WHERE run_waits.run_id = runs.id)
        AND NOT EXISTS (
            SELECT 1 FROM run_steps
            WHERE run_steps.run_id = runs.id AND run_steps.state = 'running' AND run_steps.kind <> 'parallel'
        )
    THEN 1 ELSE 0
END
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB))) -- (postgresql)
    AND state = 'running'

-- name: by_key
SELECT run_id, number, ending FROM run_waits
WHERE key = :key AND team_id = :team_id AND fired = 0 AND begun_at <= :begun_by
ORDER BY run_id, number

-- name: team_of_key [quick]
-- The key is a secret.
SELECT team_id FROM run_waits WHERE key = :key AND fired = 0

-- name: runs_of_root [quick]
SELECT COUNT(*) AS many FROM runs WHERE root_run = :root AND team_id = :team_id

-- name: fire_parents
-- The steps that wait for runs which have ended.
UPDATE run_waits SET fired = 1, due_at = :now
WHERE fired = 0 AND key IN (
    SELECT 'run:' || value FROM json_each(:ids) -- (sqlite)
    SELECT 'run:' || jsonb_array_elements_text(CAST(:ids AS JSONB)) -- (postgresql)
)

-- name: lost_children
-- Runs that somebody waited for who has ended meanwhile.
SELECT child.id, child.team_id FROM runs AS child JOIN runs AS parent ON parent.id = child.parent_run
WHERE child.parent_run IS NOT NULL AND child.state = 'running' AND parent.state <> 'running'
ORDER BY child.parent_run
LIMIT :limit

-- name: run_end
SELECT state, error_code, error_message, error_step FROM runs WHERE id = :id AND team_id = :team_id

-- name: output_of_run
-- Of the last step outside of branches.
SELECT output FROM run_steps WHERE run_id = :run_id AND parent IS NULL AND state = 'succeeded'
ORDER BY number DESC
LIMIT 1

-- name: put_off [quick]
UPDATE run_waits SET due_at = :later WHERE run_id = :run_id AND number = :number

-- name: waits_of_run [quick]
SELECT COUNT(*) AS many FROM run_waits WHERE run_id = :run_id
