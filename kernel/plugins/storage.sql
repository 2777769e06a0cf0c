-- name: waiting_jobs
SELECT COUNT(*) AS jobs FROM jobs
WHERE state IN ('scheduled', 'queued') AND (kind LIKE 'x.' || CAST(:owner AS TEXT) || '.%' OR kind LIKE 'events.' || CAST(:owner AS TEXT) || '.%')

-- name: cancel_waiting_jobs
UPDATE jobs SET state = 'cancelled', finished_at = :now, error_code = 'plugin_removed',
    error_message = 'The plugin that would have run this job was removed.'
WHERE state IN ('scheduled', 'queued') AND (kind LIKE 'x.' || CAST(:owner AS TEXT) || '.%' OR kind LIKE 'events.' || CAST(:owner AS TEXT) || '.%')

-- name: waiting_events
SELECT COUNT(*) AS events FROM event_outbox WHERE subscription LIKE 'events.' || CAST(:owner AS TEXT) || '.%'

-- name: drop_waiting_events
DELETE FROM event_outbox WHERE subscription LIKE 'events.' || CAST(:owner AS TEXT) || '.%'
