-- name: hold_version [quick]
-- Keeps a version from being thrown away until the transaction ends.
SELECT id FROM object_versions WHERE object_id = :id AND number = :number AND org_id = :org_id
FOR KEY SHARE -- (postgresql)

-- name: insert_derivation
INSERT INTO derivations (
    derived_id, derived_number, source_id, source_number, org_id, run_id, step, created_at
)
VALUES (
    :derived_id, :derived_number, :source_id, :source_number, :org_id, CAST(:run_id AS TEXT),
    CAST(:step AS TEXT), :now
)
ON CONFLICT (derived_id, derived_number, source_id) DO UPDATE
SET source_number = excluded.source_number, run_id = excluded.run_id, step = excluded.step

-- name: derivations
-- Both ways, of what stands at the other end and can be seen by the caller: own, granted or of the team. Of
-- what was derived again and again the last time alone.
SELECT
    derivations.derived_id, derivations.derived_number, derivations.source_id, derivations.source_number,
    derivations.run_id, derivations.step, other.id AS object_id, other.key
FROM derivations
JOIN objects AS other ON other.id = CASE
    WHEN derivations.derived_id = :id THEN derivations.source_id ELSE derivations.derived_id
END
WHERE (derivations.derived_id = :id OR derivations.source_id = :id) AND derivations.org_id = :org_id
    AND other.present = 1
    AND NOT EXISTS (
        SELECT 1 FROM derivations AS later
        WHERE later.derived_id = derivations.derived_id AND later.source_id = derivations.source_id
            AND later.derived_number > derivations.derived_number
    )
    AND (
        (other.team_id = :team_id AND other.owner_id = :user_id)
        OR (other.team_id = :team_id AND other.visibility = 'team' AND CAST(:by_role AS INTEGER) = 1)
        OR (
            other.visibility <> 'private'
            AND EXISTS (
                SELECT 1 FROM object_grants AS grants
                WHERE grants.object_id = other.id AND grants.principal_id IN (:user_id, :team_id)
                    AND (grants.expires_at IS NULL OR grants.expires_at > :now)
            )
        )
    )
ORDER BY derivations.created_at, other.key, other.id
LIMIT :limit

-- name: derived_in_step
-- What stands of all that was derived from an object in a step, in the same team, whoever may see it.
SELECT DISTINCT derived.id, derived.key
FROM derivations
JOIN objects AS derived ON derived.id = derivations.derived_id
WHERE derivations.source_id = :id AND derivations.org_id = :org_id AND derivations.step = CAST(:step AS TEXT)
    AND derived.team_id = :team_id AND derived.present = 1
ORDER BY derived.id
LIMIT :limit

-- name: runs_of
-- The runs that made an object or something from it, the last first.
SELECT derivations.run_id FROM derivations
WHERE (derivations.derived_id = :id OR derivations.source_id = :id) AND derivations.org_id = :org_id
    AND derivations.run_id IS NOT NULL
GROUP BY derivations.run_id
ORDER BY MAX(derivations.created_at) DESC, derivations.run_id
LIMIT :limit

-- name: insert_parts (sqlite)
INSERT INTO object_parts (version_id, org_id, number, start, size, checksum)
SELECT
    :version_id, :org_id, json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
    json_extract(value, '$[3]')
FROM json_each(:parts)

-- name: insert_parts (postgresql)
INSERT INTO object_parts (version_id, org_id, number, start, size, checksum)
SELECT
    CAST(:version_id AS TEXT), CAST(:org_id AS TEXT), CAST(value ->> 0 AS INTEGER), CAST(value ->> 1 AS BIGINT),
    CAST(value ->> 2 AS BIGINT), value ->> 3
FROM json_array_elements(CAST(CAST(:parts AS TEXT) AS JSON)) AS part (value)

-- name: parts
SELECT number, start, size, checksum FROM object_parts
WHERE version_id = :version_id AND org_id = :org_id AND number > :after
ORDER BY number
LIMIT :limit
