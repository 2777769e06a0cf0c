-- name: data_keys
SELECT id, purpose, active, wrapped, wrapped_by FROM data_keys ORDER BY id

-- name: add_first_key
INSERT INTO data_keys (id, purpose, active, wrapped, wrapped_by, created_at)
VALUES (:id, :purpose, 1, :wrapped, :wrapped_by, :now)
ON CONFLICT (purpose, active) DO NOTHING

-- name: add_key
INSERT INTO data_keys (id, purpose, active, wrapped, wrapped_by, created_at)
VALUES (:id, :purpose, 1, :wrapped, :wrapped_by, :now)

-- name: retire_keys
UPDATE data_keys SET active = NULL WHERE purpose = :purpose AND active = 1

-- name: hold_active_key (sqlite)
SELECT id FROM data_keys WHERE purpose = :purpose AND active = 1

-- name: hold_active_key (postgresql)
SELECT id FROM data_keys WHERE purpose = :purpose AND active = 1 FOR SHARE

-- name: state
SELECT
    id AS key_id,
    (SELECT COUNT(*) FROM secrets WHERE secrets.key_id < data_keys.id)
    + (SELECT COUNT(*) FROM secrets WHERE secrets.key_id > data_keys.id) AS awaiting
FROM data_keys
WHERE purpose = 'seal' AND active = 1

-- name: count_secrets
SELECT COUNT(*) FROM secrets

-- name: drop_unused_keys
DELETE FROM data_keys
WHERE purpose = :purpose AND active IS NULL
  AND NOT EXISTS (SELECT 1 FROM secrets WHERE secrets.key_id = data_keys.id)
RETURNING id

-- name: rewrap_key
UPDATE data_keys SET wrapped = :wrapped, wrapped_by = :wrapped_by
WHERE id = :id AND wrapped = :was
RETURNING id

-- name: put_secret
INSERT INTO secrets (kind, org_id, ref, key_id, sealed) VALUES (:kind, :org_id, :ref, :key_id, :sealed)
ON CONFLICT (kind, org_id, ref) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed

-- name: secret
SELECT key_id, sealed FROM secrets WHERE kind = :kind AND org_id = :org_id AND ref = :ref

-- name: delete_secret
DELETE FROM secrets WHERE kind = :kind AND org_id = :org_id AND ref = :ref

-- name: secrets_to_reseal
SELECT kind, org_id, ref, key_id, sealed FROM secrets
WHERE key_id <> :active AND (kind, org_id, ref) > (:kind, :org_id, :ref)
ORDER BY kind, org_id, ref
LIMIT :limit

-- name: reseal
UPDATE secrets SET key_id = :key_id, sealed = :sealed
WHERE kind = :kind AND org_id = :org_id AND ref = :ref AND sealed = :was
RETURNING ref
