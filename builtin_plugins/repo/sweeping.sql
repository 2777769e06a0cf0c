-- name: claim_sweep
-- By one process at a time, which goes on where another was ended; a new one a day after the last began.
INSERT INTO blob_sweeps (name, swept_at, stage, held_until) VALUES ('orphans', :now, 'rows', :until)
ON CONFLICT (name) DO UPDATE SET
    swept_at = CASE WHEN blob_sweeps.stage = '' THEN excluded.swept_at ELSE blob_sweeps.swept_at END,
    stage = CASE WHEN blob_sweeps.stage = '' THEN 'rows' ELSE blob_sweeps.stage END,
    held_until = excluded.held_until
WHERE blob_sweeps.held_until <= :now AND (blob_sweeps.stage <> '' OR blob_sweeps.swept_at < :before)
RETURNING stage, namespace, sha256, held_until

-- name: store_place
UPDATE blob_sweeps SET stage = :stage, namespace = :namespace, sha256 = :sha256, held_until = :until
WHERE name = 'orphans' AND held_until = :held_until
RETURNING stage

-- name: orphan [quick]
-- A file of a company that is there: nothing refers to it, or its bytes lie in the database as well.
SELECT 1 AS found FROM published_companies AS companies
WHERE companies.id = :org_id
    AND (
        EXISTS (SELECT 1 FROM small_blobs WHERE org_id = :org_id AND sha256 = :sha256)
        OR (
            NOT EXISTS (SELECT 1 FROM object_versions WHERE org_id = :org_id AND sha256 = :sha256)
            AND NOT EXISTS (SELECT 1 FROM blob_holds WHERE org_id = :org_id AND sha256 = :sha256)
        )
    )
