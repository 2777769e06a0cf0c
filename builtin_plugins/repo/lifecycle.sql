-- name: of_team [quick]
SELECT rules, holds_from, versions, bytes FROM repo_lifecycles WHERE team_id = :team_id AND org_id = :org_id

-- name: set_rules
INSERT INTO repo_lifecycles (
    team_id, org_id, set_by, rules, holds_from, updated_at, stage, after_time, after_name, due_at, held_until,
    versions, bytes
)
VALUES (:team_id, :org_id, :user_id, :rules, :holds_from, :now, 'versions', -1, '', :due_at, 0, 0, 0)
ON CONFLICT (team_id) DO UPDATE SET
    set_by = excluded.set_by, rules = excluded.rules, holds_from = excluded.holds_from,
    updated_at = excluded.updated_at, stage = excluded.stage, after_time = excluded.after_time,
    after_name = excluded.after_name, due_at = excluded.due_at, held_until = excluded.held_until

-- name: claim
-- The team that waits longest, by one process at a time.
UPDATE repo_lifecycles SET held_until = :until
WHERE team_id = (
    SELECT team_id FROM repo_lifecycles
    WHERE due_at <= :now AND held_until <= :now
    ORDER BY due_at, held_until, team_id LIMIT 1
    FOR UPDATE SKIP LOCKED -- (postgresql)
)
RETURNING team_id, org_id, set_by, rules, stage, after_time, after_name, due_at, held_until

-- name: hold_claim [quick]
-- The rules cannot change until the transaction ends.
SELECT rules FROM repo_lifecycles WHERE team_id = :team_id AND held_until = :held_until
FOR UPDATE -- (postgresql)

-- name: store_place
UPDATE repo_lifecycles
SET stage = :stage, after_time = :after_time, after_name = :after_name, due_at = :due_at, held_until = :now
WHERE team_id = :team_id AND held_until = :held_until

-- name: postpone
UPDATE repo_lifecycles SET due_at = :due_at, held_until = 0 WHERE team_id = :team_id AND held_until = :held_until

-- name: bring_forward
-- What is due later than a day from now was put off by a clock that was ahead; without rules it is never due.
UPDATE repo_lifecycles SET due_at = :due_at, held_until = 0
WHERE due_at > CAST(:due_at AS BIGINT) + 3600000 AND rules <> '[]'

-- name: add_gone
UPDATE repo_lifecycles SET versions = versions + :versions, bytes = bytes + :bytes WHERE team_id = :team_id

-- name: old_version [part]
-- An old version with how many old ones with content are newer, as far as it matters, and whether something that
-- stands was made from it, or says that it was made as this one. Looked up one by one: of EXISTS PostgreSQL would
-- make a table of all.
SELECT
    versions.id, versions.object_id, versions.number, versions.marker, versions.size, versions.old_since,
    objects.key,
    (
        SELECT COUNT(*) FROM (
            SELECT 1 FROM object_versions AS newer
            WHERE newer.object_id = versions.object_id AND newer.number > versions.number AND newer.marker = 0
                AND newer.old_in IS NOT NULL
            LIMIT :max_kept
        ) AS few
    ) AS newer,
    COALESCE(
        (
            SELECT 1 FROM derivations AS made
            JOIN objects AS derived ON derived.id = made.derived_id
            WHERE made.source_id = versions.object_id AND made.source_number = versions.number
                AND (derived.present = 1 OR objects.present = 1)
                AND (
                    EXISTS (
                        SELECT 1 FROM object_versions AS product
                        WHERE product.object_id = made.derived_id AND product.number = made.derived_number
                    )
                    OR NOT EXISTS (
                        SELECT 1 FROM derivations AS later
                        WHERE later.derived_id = made.derived_id AND later.source_id = made.source_id
                            AND later.derived_number > made.derived_number
                    )
                )
            LIMIT 1
        ),
        (
            SELECT 1 FROM derivations AS made
            WHERE made.derived_id = versions.object_id AND made.derived_number = versions.number
                AND objects.present = 1
                AND NOT EXISTS (
                    SELECT 1 FROM derivations AS later
                    WHERE later.derived_id = made.derived_id AND later.source_id = made.source_id
                        AND later.derived_number > made.derived_number
                )
            LIMIT 1
        ),
        0
    ) AS referred

-- name: old_versions
-- The oldest first; so many, whether they go or not.
-- use: old_version
FROM object_versions AS versions
JOIN objects ON objects.id = versions.object_id
WHERE versions.old_in = :team_id AND versions.old_since <= :until
    AND (versions.old_since, versions.id) > (:after_time, :after_name)
ORDER BY versions.old_since, versions.id
LIMIT :limit

-- name: lock_versions
SELECT id FROM object_versions
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
    AND +old_in = :team_id -- (sqlite)
    AND old_in = :team_id -- (postgresql)
ORDER BY id
FOR UPDATE -- (postgresql)

-- name: old_versions_again
-- use: old_version
FROM object_versions AS versions
JOIN objects ON objects.id = versions.object_id
WHERE versions.id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE versions.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
    AND +versions.old_in = :team_id -- (sqlite)
    AND versions.old_in = :team_id -- (postgresql)

-- name: delete_versions
DELETE FROM object_versions
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
    AND +old_in = :team_id -- (sqlite)
    AND old_in = :team_id -- (postgresql)
RETURNING id, object_id, marker, sha256, size

-- name: vacate_many
UPDATE objects SET vacant = 1
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
    AND present = 0
    AND NOT EXISTS (
        SELECT 1 FROM object_versions AS versions WHERE versions.object_id = objects.id AND versions.marker = 0
    )

-- name: hidden_object [part]
-- With whether something that stands was made from it.
SELECT
    objects.id, objects.key, objects.updated_at,
    COALESCE(
        (
            SELECT 1 FROM derivations AS made
            JOIN objects AS derived ON derived.id = made.derived_id
            WHERE made.source_id = objects.id AND derived.present = 1
            LIMIT 1
        ),
        0
    ) AS referred

-- name: deleted_objects
-- Those that were deleted first.
-- use: hidden_object
FROM objects
WHERE objects.team_id = :team_id AND objects.present = 0 AND objects.vacant = 0 AND objects.updated_at <= :until
    AND (objects.updated_at, objects.id) > (:after_time, :after_name)
ORDER BY objects.updated_at, objects.id
LIMIT :limit

-- name: vacant_objects
-- use: hidden_object
FROM objects
WHERE objects.team_id = :team_id AND objects.vacant = 1 AND objects.key > :after_name
ORDER BY objects.key
LIMIT :limit

-- name: hidden_again
-- use: hidden_object
FROM objects
WHERE objects.id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE objects.id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
    AND +objects.team_id = :team_id -- (sqlite)
    AND objects.team_id = :team_id -- (postgresql)
    AND objects.present = 0 AND objects.vacant = :vacant

-- name: first_versions
-- The oldest of these objects, object by object.
SELECT versions.id, versions.object_id, versions.number, versions.marker, versions.size
FROM object_versions AS versions
WHERE versions.object_id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE versions.object_id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
ORDER BY versions.object_id, versions.number
LIMIT :limit

-- name: lock_hidden_versions
SELECT id FROM object_versions
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
ORDER BY id
FOR UPDATE -- (postgresql)

-- name: delete_hidden_versions
DELETE FROM object_versions
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
RETURNING id, object_id, marker, sha256, size

-- name: delete_emptied
DELETE FROM objects
WHERE id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
WHERE id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
    AND +team_id = :team_id -- (sqlite)
    AND team_id = :team_id -- (postgresql)
    AND NOT EXISTS (SELECT 1 FROM object_versions AS versions WHERE versions.object_id = objects.id)
RETURNING id

-- name: size_of_deleted
SELECT COUNT(*) AS versions, COALESCE(SUM(few.size), 0) AS bytes FROM (
    SELECT versions.size
    FROM object_versions AS versions
    WHERE versions.object_id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
    WHERE versions.object_id = ANY (ARRAY(SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))) -- (postgresql)
    ORDER BY versions.object_id, versions.number
    LIMIT :limit
) AS few

-- name: all_rules
SELECT lifecycles.team_id, lifecycles.org_id, lifecycles.rules, lifecycles.holds_from, lifecycles.versions,
    lifecycles.bytes, teams.slug
FROM repo_lifecycles AS lifecycles
JOIN published_teams AS teams ON teams.id = lifecycles.team_id
WHERE lifecycles.rules <> '[]'
ORDER BY lifecycles.team_id
LIMIT :limit
