-- name: offered [quick]
-- Those of the company and of the instance.
SELECT org_id, name, executor, model, label, description, allowed, price, updated_at FROM member_models
WHERE org_id IN ('', :org_id)
ORDER BY name, org_id

-- name: lock [quick]
SELECT org_id, name, executor, model, label, description, allowed, price, updated_at FROM member_models
WHERE org_id = :org_id AND name = :name
FOR UPDATE -- (postgresql)

-- name: many [quick]
SELECT COUNT(*) FROM member_models WHERE org_id = :org_id

-- name: put [quick]
INSERT INTO member_models (org_id, name, executor, model, label, description, allowed, price, updated_at)
VALUES (
    :org_id, :name, :executor, CAST(:model AS TEXT), :label, :description, CAST(:allowed AS TEXT),
    CAST(:price AS TEXT), :now
)
ON CONFLICT (org_id, name) DO UPDATE
SET executor = excluded.executor, model = excluded.model, label = excluded.label,
    description = excluded.description, allowed = excluded.allowed, price = excluded.price,
    updated_at = excluded.updated_at

-- name: delete [quick]
DELETE FROM member_models WHERE org_id = :org_id AND name = :name RETURNING name
