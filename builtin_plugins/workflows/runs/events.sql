-- name: who_waits [quick]
SELECT run_id FROM run_waits WHERE key = 'event:' || CAST(:event AS TEXT) AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: any_of_team [quick]
SELECT 1 AS found FROM teams_that_wait WHERE team_id = :team_id

-- name: teams_that_wait_for_jobs
SELECT DISTINCT team_id FROM run_waits WHERE key = 'event:job.ended' AND fired = 0
