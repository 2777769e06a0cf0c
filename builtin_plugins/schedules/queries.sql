-- name: columns [part]
schedules.id, schedules.org_id, schedules.team_id, schedules.workflow_slug, schedules.cron, schedules.every_seconds,
schedules.timezone, schedules.begins, schedules.input, schedules.missed, schedules.overlap, schedules.enabled,
schedules.owner_id, people.display_name AS owner_name, schedules.made_with, schedules.scope, schedules.due_at,
schedules.queued_until, schedules.job_id, schedules.last_run_id, schedules.last_at, schedules.last_skipped,
schedules.stopped_code, schedules.stopped_message, schedules.stopped_at, schedules.plugin, schedules.name,
schedules.ready, schedules.changed, schedules.created_at, schedules.updated_at

-- name: schedule [quick]
SELECT
    -- use: columns
FROM schedules LEFT JOIN published_people AS people ON people.id = schedules.owner_id
WHERE schedules.id = :id AND schedules.team_id = :team_id

-- name: lock [quick]
SELECT due_at, updated_at FROM schedules WHERE id = :id AND team_id = :team_id
FOR UPDATE -- (postgresql)

-- name: schedules_of_team
-- The page ends early where its inputs would grow too large; `candidates` tells whether more follow.
SELECT
    page.candidates,
    -- use: columns
FROM (
    SELECT
        id, COUNT(*) OVER () AS candidates, SUM(size) OVER (ORDER BY id DESC) - size AS bytes_before
    FROM (
        SELECT id, size FROM schedules
        WHERE team_id = :team_id AND id < :before AND (plugin IS NULL OR plugin IN (
            SELECT value FROM json_each(:plugins) -- (sqlite)
            SELECT jsonb_array_elements_text(CAST(:plugins AS JSONB)) -- (postgresql)
        ))
        ORDER BY id DESC LIMIT :limit
    ) AS newest
) AS page
JOIN schedules ON schedules.id = page.id
LEFT JOIN published_people AS people ON people.id = schedules.owner_id
WHERE page.bytes_before < :max_bytes
ORDER BY schedules.id DESC

-- name: many_of_team [quick]
SELECT COUNT(*) AS many FROM schedules WHERE team_id = :team_id AND plugin IS NULL

-- name: insert_schedule [quick]
INSERT INTO schedules (
    id, org_id, team_id, workflow_slug, cron, every_seconds, timezone, begins, input, size, missed, overlap, enabled,
    owner_id, made_with, scope, due_at, queued_until, stopped_code, stopped_message, stopped_at, plugin, name, ready,
    changed, created_at, updated_at
)
VALUES (
    :id, :org_id, :team_id, :workflow_slug, :cron, :every_seconds, :timezone, :begins, :input, :size, :missed,
    :overlap, :enabled, :owner_id, :made_with, :scope, :due_at, :queued_until, :stopped_code, :stopped_message,
    :stopped_at, :plugin, :name, :ready, :changed, :created_at, :updated_at
)
ON CONFLICT DO NOTHING

-- name: update_schedule [quick]
UPDATE schedules
SET workflow_slug = :workflow_slug, cron = :cron, every_seconds = :every_seconds, timezone = :timezone,
    begins = :begins, input = :input, size = :size, missed = :missed, overlap = :overlap, enabled = :enabled,
    owner_id = :owner_id, made_with = :made_with, scope = :scope, due_at = :due_at, queued_until = :queued_until,
    stopped_code = :stopped_code, stopped_message = :stopped_message, stopped_at = :stopped_at, ready = :ready,
    changed = :changed, updated_at = :updated_at
WHERE id = :id AND team_id = :team_id

-- name: set_job [quick]
UPDATE schedules SET job_id = CAST(:job_id AS TEXT) WHERE id = :id

-- name: decided [quick]
-- What became of a time; what started last stays where nothing did.
UPDATE schedules
SET due_at = :due_at, queued_until = :queued_until, last_at = COALESCE(CAST(:last_at AS BIGINT), last_at),
    last_skipped = CAST(:skipped AS TEXT), last_run_id = COALESCE(CAST(:run_id AS TEXT), last_run_id)
WHERE id = :id

-- name: stop [quick]
UPDATE schedules
SET due_at = NULL, queued_until = NULL, job_id = NULL, stopped_code = :code, stopped_message = :message,
    stopped_at = :at
WHERE id = :id

-- name: delete_schedule [quick]
DELETE FROM schedules WHERE id = :id AND team_id = :team_id

-- name: started_by_hand [quick]
UPDATE schedules SET last_run_id = :run_id, last_at = :now WHERE id = :id AND team_id = :team_id

-- name: by_job [quick]
SELECT
    -- use: columns
FROM schedules LEFT JOIN published_people AS people ON people.id = schedules.owner_id
WHERE schedules.job_id = :job_id

-- name: waiting_for [quick]
-- Those that wait for the end of a run.
SELECT id FROM schedules WHERE last_run_id = :run_id AND team_id = :team_id AND queued_until IS NOT NULL

-- name: going_on_of
-- What acts as somebody and would go on.
SELECT id, job_id FROM schedules
WHERE team_id = :team_id AND owner_id = :user_id AND enabled = 1 AND stopped_code IS NULL
ORDER BY id

-- name: resting_of
-- What has stopped since somebody was suspended.
SELECT
    -- use: columns
FROM schedules LEFT JOIN published_people AS people ON people.id = schedules.owner_id
WHERE schedules.team_id = :team_id AND schedules.owner_id = :user_id AND schedules.stopped_code = 'person_suspended'
ORDER BY schedules.id

-- name: unplanned
-- What is to come and has no job that looks at it then, from one on.
SELECT
    -- use: columns
FROM schedules LEFT JOIN published_people AS people ON people.id = schedules.owner_id
WHERE schedules.due_at IS NOT NULL AND schedules.id > :after AND NOT EXISTS (
    SELECT 1 FROM published_jobs AS jobs
    WHERE jobs.id = schedules.job_id AND jobs.state IN ('scheduled', 'queued', 'running')
)
ORDER BY schedules.id
LIMIT :limit

-- name: ready_made
SELECT id, plugin, name, ready, changed FROM schedules WHERE team_id = :team_id AND plugin IS NOT NULL

-- name: held_by_team
-- A ready-made one that nobody touched is missed by nobody.
SELECT id FROM schedules WHERE team_id = :team_id AND (plugin IS NULL OR owner_id IS NOT NULL) LIMIT 1

-- name: all_of_team
SELECT
    -- use: columns
FROM schedules LEFT JOIN published_people AS people ON people.id = schedules.owner_id
WHERE schedules.team_id = :team_id
ORDER BY schedules.id

-- name: move_schedule
-- A ready-made one becomes the other team's own where that has it too.
UPDATE schedules
SET team_id = :target, job_id = NULL,
    plugin = CASE WHEN CAST(:own AS INTEGER) = 1 THEN NULL ELSE plugin END,
    name = CASE WHEN CAST(:own AS INTEGER) = 1 THEN NULL ELSE name END
WHERE id = :id AND team_id = :source

-- name: drop_untouched
DELETE FROM schedules WHERE team_id = :team_id AND plugin IS NOT NULL AND owner_id IS NULL
