-- name: approved
SELECT server, original, name, description, input_schema, digest FROM mcp_approved_tools
ORDER BY server, original

-- name: approve
INSERT INTO mcp_approved_tools (
    server, original, name, description, input_schema, digest, approved_at, approved_by
) VALUES (:server, :original, :name, :description, :input_schema, :digest, :now, :user_id)
ON CONFLICT (server, original) DO UPDATE SET
    name = excluded.name, description = excluded.description, input_schema = excluded.input_schema,
    digest = excluded.digest, approved_at = excluded.approved_at, approved_by = excluded.approved_by

-- name: forget
DELETE FROM mcp_approved_tools WHERE server = :server AND original = :original

-- name: free_name
-- Of a server that is not in the file any more: whoever is asked for a name that another has is refused before.
DELETE FROM mcp_approved_tools WHERE name = :name AND NOT (server = :server AND original = :original)
