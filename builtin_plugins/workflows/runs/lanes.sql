-- name: end_branch
UPDATE run_steps SET done = done + 1, revision = :revision
WHERE run_id = :run_id AND number = :number AND state = 'running'
RETURNING name, total, done, parent, branch

-- name: branch_sizes
SELECT COALESCE(SUM(LENGTH(output)), 0) AS size FROM run_steps
WHERE run_id = :run_id AND parent = :number AND state = 'succeeded' AND kind <> 'choice'

-- name: branch_outputs
-- Of each branch that of its last step.
SELECT last.branch, run_steps.output
FROM (
    SELECT branch, MAX(number) AS number FROM run_steps
    WHERE run_id = :run_id AND parent = :number AND state = 'succeeded' AND kind <> 'choice'
    GROUP BY branch
) AS last
JOIN run_steps ON run_steps.run_id = :run_id AND run_steps.number = last.number
ORDER BY last.branch

-- name: running_parent
SELECT name, parent, branch FROM run_steps WHERE run_id = :run_id AND number = :number AND state = 'running'

-- name: cancel_below
UPDATE run_steps SET state = 'cancelled', finished_at = :now, revision = :revision
WHERE run_id = :run_id AND parent = :number AND state IN ('running', 'waiting')
RETURNING number, kind, job_id

-- name: item_jobs
SELECT job_id FROM run_items
WHERE run_id = :run_id AND number = :number AND state = 'running' AND job_id IS NOT NULL
