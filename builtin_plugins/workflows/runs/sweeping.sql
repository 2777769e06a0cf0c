-- name: resting
-- Running, and nothing has happened to it for a while.
SELECT id, org_id, team_id FROM runs
WHERE state = 'running' AND waits = 0 AND moved_at < :before AND id > :after
ORDER BY id
LIMIT :limit

-- name: stuck
-- Runs that no job will move: their steps have none that waits or runs.
SELECT runs.id, runs.team_id, runs.slug, runs.version, runs.moved_at FROM runs
WHERE runs.state = 'running' AND runs.waits = 0 AND runs.id > :after
    AND NOT EXISTS (
        SELECT 1 FROM run_steps JOIN published_jobs AS jobs ON jobs.id = run_steps.job_id
        WHERE run_steps.run_id = runs.id AND run_steps.state = 'running'
            AND jobs.state IN ('scheduled', 'queued', 'running')
    )
    AND NOT EXISTS (
        SELECT 1 FROM run_waits WHERE run_waits.run_id = runs.id
    )
    AND NOT EXISTS (
        SELECT 1 FROM run_items JOIN published_jobs AS jobs ON jobs.id = run_items.job_id
        WHERE run_items.run_id = runs.id AND run_items.state = 'running'
            AND jobs.state IN ('scheduled', 'queued', 'running')
    )
ORDER BY runs.id
LIMIT :limit
