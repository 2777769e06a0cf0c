-- name: size_of_folder
-- Whoever may see them: it is only for how far a job is.
SELECT COUNT(*) FROM (
    SELECT 1 AS found FROM objects
    WHERE team_id = :team_id AND visibility IN ('private', 'shared', 'team') AND present = 1
        AND key >= :start AND key < :end
    LIMIT :most
) AS of_folder

-- name: begin
INSERT INTO folder_moves (job_id, org_id, team_id, attempt, after_key, total, moved, left_there, skipped)
VALUES (:job_id, :org_id, :team_id, :attempt, '', :total, 0, 0, '[]')
ON CONFLICT (job_id) DO UPDATE SET attempt = excluded.attempt
RETURNING after_key, total, moved, left_there, skipped

-- name: advance [quick]
UPDATE folder_moves
SET after_key = :after_key, moved = :moved, left_there = :left_there,
    skipped = COALESCE(CAST(:skipped AS TEXT), skipped)
WHERE job_id = :job_id AND team_id = :team_id AND attempt = :attempt
RETURNING job_id

-- name: forget
DELETE FROM folder_moves WHERE job_id = :job_id AND team_id = :team_id

-- name: long_texts
SELECT object_id FROM object_texts
WHERE org_id = :org_id AND LENGTH(text) > :longest
    AND object_id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
    AND object_id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB))) -- (postgresql)
