-- name: run
SELECT * FROM runs WHERE id = :id AND team_id = :team_id

-- name: page_of_runs
SELECT * FROM runs WHERE team_id = :team_id AND id < :before ORDER BY id DESC LIMIT :limit

-- name: page_by_workflow
SELECT * FROM runs WHERE team_id = :team_id AND slug = :slug AND id < :before ORDER BY id DESC LIMIT :limit

-- name: page_by_state
SELECT * FROM runs WHERE team_id = :team_id AND state = :state AND id < :before ORDER BY id DESC LIMIT :limit

-- name: page_by_workflow_and_state
SELECT * FROM runs
WHERE team_id = :team_id AND slug = :slug AND state = :state AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: steps_after
-- Those that changed behind a revision, with outputs as long as there is room for them.
SELECT
    number, name, kind, state, tries, total, done, failed, cancelled, error_code, error_message, revision, started_at,
    finished_at, parent,
    CASE WHEN SUM(LENGTH(output)) OVER (ORDER BY number) <= CAST(:capacity AS BIGINT) THEN output END AS output
FROM run_steps
WHERE run_id = :run_id AND revision > :revision
ORDER BY number

-- name: first_steps
SELECT
    run_id, number, name, kind, state, tries, total, done, failed, cancelled, error_code, error_message, revision,
    started_at, finished_at, NULL AS output
FROM run_steps
WHERE run_id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE run_id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB))) -- (postgresql)
    AND number <= :most
ORDER BY run_id, number

-- name: last_outputs
SELECT runs.id, run_steps.output
FROM runs JOIN run_steps ON run_steps.run_id = runs.id AND run_steps.number = (
    SELECT MAX(number) FROM run_steps WHERE run_id = runs.id AND parent IS NULL
)
WHERE runs.id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE runs.id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB))) -- (postgresql)
    AND runs.state = 'succeeded' AND LENGTH(run_steps.output) <= :longest

-- name: chain [quick]
SELECT chain FROM runs WHERE id = :id AND team_id = :team_id

-- name: runs_of_object
SELECT id, slug, version, state, created_by, created_at, finished_at FROM runs
WHERE team_id = :team_id AND object_id = :object_id
ORDER BY id DESC
LIMIT :limit

-- name: runs_by_id (sqlite)
SELECT id, slug, version, state, created_by, created_at, finished_at FROM runs
WHERE team_id = :team_id AND id IN (SELECT value FROM json_each(:ids))

-- name: runs_by_id (postgresql)
SELECT id, slug, version, state, created_by, created_at, finished_at FROM runs
WHERE team_id = :team_id AND id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))

-- name: steps_changed
-- In the order of their changes; a long output is left out.
SELECT
    number, name, kind, state, tries, total, done, failed, cancelled, error_code, error_message, revision, started_at,
    finished_at, CASE WHEN LENGTH(output) <= CAST(:longest AS BIGINT) THEN output END AS output
FROM run_steps
WHERE run_id = :run_id AND revision > :after AND revision <= :up_to
ORDER BY revision
LIMIT :limit
