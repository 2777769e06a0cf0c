-- name: page_of_jobs
SELECT * FROM jobs
WHERE team_id = :team_id AND id < :before
ORDER BY id DESC
LIMIT :limit

-- name: page_of_ended
-- Jobs that are over have an index, and those that wait another. Both go by kind: for all of them there is a walk for
-- each kind that the team has, which are few. `page_of_waiting` is this statement with another condition, see
-- `statements.py`.
WITH RECURSIVE kinds (kind) AS (
    SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled')
    UNION ALL
    SELECT (SELECT MIN(kind) FROM jobs WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled') AND kind > kinds.kind)
    FROM kinds WHERE kinds.kind IS NOT NULL
)
SELECT jobs.* FROM (
    SELECT job.id FROM kinds
    CROSS JOIN jobs AS job ON job.id IN ( -- (sqlite)
    CROSS JOIN LATERAL ( -- (postgresql)
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled') AND kind = kinds.kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) -- (sqlite)
    ) AS job -- (postgresql)
    ORDER BY job.id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_ended_by_kind
SELECT jobs.* FROM (
    SELECT id FROM jobs
    WHERE team_id = :team_id AND state = :state AND state IN ('succeeded', 'failed', 'cancelled') AND kind = :kind AND id < :before
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_running
-- By the index of those that run: in the order of ids the walk would pass by all that ended.
SELECT jobs.* FROM (
    SELECT id FROM jobs INDEXED BY jobs_running -- (sqlite)
    SELECT id FROM jobs -- (postgresql)
    WHERE state = 'running' AND org_id = (SELECT org_id FROM teams WHERE id = :team_id) AND team_id = :team_id
        AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind) AND id < :before
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC

-- name: page_of_jobs_by_kind
-- A walk for those that wait, all that run, which are few, and a walk for each way in which others ended.
SELECT jobs.* FROM (
    SELECT id FROM (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state IN ('scheduled', 'queued') AND kind = :kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS waiting
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs INDEXED BY jobs_running -- (sqlite)
        SELECT id FROM jobs -- (postgresql)
        WHERE state = 'running' AND org_id = (SELECT org_id FROM teams WHERE id = :team_id) AND team_id = :team_id
            AND kind = :kind AND id < :before
    ) AS running
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = 'succeeded' AND state IN ('succeeded', 'failed', 'cancelled') AND kind = :kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS succeeded
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = 'failed' AND state IN ('succeeded', 'failed', 'cancelled') AND kind = :kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS failed
    UNION ALL
    SELECT id FROM (
        SELECT id FROM jobs
        WHERE team_id = :team_id AND state = 'cancelled' AND state IN ('succeeded', 'failed', 'cancelled') AND kind = :kind AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS cancelled
    ORDER BY id DESC LIMIT :limit
) AS page
JOIN jobs ON jobs.id = page.id
ORDER BY jobs.id DESC
