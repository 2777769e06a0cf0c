-- name: waiting_of_team
-- Of no more than so many: whoever is full is not counted beyond.
SELECT COUNT(*) AS waiting FROM (
    SELECT 1 AS one FROM jobs
    WHERE team_id = :team_id AND state IN ('scheduled', 'queued')
    LIMIT :max_rows
) AS waiting_jobs
