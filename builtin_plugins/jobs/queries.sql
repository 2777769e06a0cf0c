-- name: last_event [quick]
SELECT number, attempt FROM job_events
WHERE job_id = :job_id AND team_id = :team_id
ORDER BY number DESC
LIMIT 1

-- name: events_after
SELECT number, event, data FROM job_events
WHERE job_id = :job_id AND team_id = :team_id AND number > :after
ORDER BY number
LIMIT :limit

-- name: add_event
INSERT INTO job_events (job_id, number, team_id, attempt, event, data)
VALUES (:job_id, :number, :team_id, :attempt, :event, :data)

-- name: drop_events
DELETE FROM job_events WHERE job_id = :job_id AND team_id = :team_id
