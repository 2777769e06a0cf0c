-- name: insert_worker_credential
INSERT INTO credentials (id, kind, secret_hash, name, made_with, created_at, expires_at)
VALUES (:id, 'worker', :secret_hash, :name, CAST(:made_with AS TEXT), :now, CAST(:expires_at AS BIGINT))

-- name: delete_worker_credential
DELETE FROM credentials WHERE kind = 'worker' AND id IN (SELECT token_id FROM job_workers WHERE id = :worker_id)

-- name: add_worker
INSERT INTO job_workers (id, org_id, name, token_id)
VALUES (:id, CAST(:org_id AS TEXT), :name, :token_id)

-- name: retire_worker
UPDATE job_workers SET retired_at = CAST(:at AS BIGINT) WHERE id = :id AND retired_at IS NULL

-- name: forget_retired
-- Those that another transaction forgets at this moment are its own.
DELETE FROM job_workers WHERE id IN (
    SELECT id FROM job_workers WHERE retired_at < CAST(:before AS BIGINT) ORDER BY retired_at LIMIT 100
    FOR UPDATE SKIP LOCKED -- (postgresql)
)

-- name: note_call
UPDATE job_workers SET called_at = CAST(:at AS BIGINT) WHERE id = :id AND retired_at IS NULL

-- name: last_calls
SELECT id, called_at FROM job_workers
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))) -- (postgresql)
    AND called_at IS NOT NULL AND retired_at IS NULL
