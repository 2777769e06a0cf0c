-- name: busiest_companies [long, may lag]
-- By the jobs that wait or run now.
SELECT company.id, company.name, counted.waiting, counted.running
FROM (
    SELECT
        org_id,
        SUM(CASE WHEN state = 'running' THEN 0 ELSE 1 END) AS waiting,
        SUM(CASE WHEN state = 'running' THEN 1 ELSE 0 END) AS running
    FROM (
        SELECT org_id, state FROM published_jobs
        WHERE state IN ('scheduled', 'queued', 'running')
        LIMIT :max_jobs
    ) AS live
    GROUP BY org_id
    ORDER BY COUNT(*) DESC, org_id
    LIMIT :max_rows
) AS counted
JOIN published_companies AS company ON company.id = counted.org_id
ORDER BY counted.waiting + counted.running DESC, company.id
