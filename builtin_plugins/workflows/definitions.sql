-- name: disabled [part]
CASE WHEN EXISTS (
    SELECT 1 FROM disabled_workflows AS off
    WHERE off.team_id = workflow_versions.team_id AND off.slug = workflow_versions.slug
) THEN 1 ELSE 0 END AS disabled

-- name: current [quick]
SELECT id, org_id, team_id, slug, version, name, source, max_steps, inputs, published_by, created_at, spec AS raw,
    -- use: disabled
FROM workflow_versions
WHERE team_id = :team_id AND slug = :slug AND deleted_at IS NULL
ORDER BY version DESC
LIMIT 1

-- name: at_version [quick]
SELECT id, org_id, team_id, slug, version, name, source, max_steps, inputs, published_by, created_at, spec AS raw,
    -- use: disabled
FROM workflow_versions
WHERE team_id = :team_id AND slug = :slug AND version = :version

-- name: versions
SELECT id, slug, version, name, source, max_steps, inputs, published_by, created_at,
    -- use: disabled
FROM workflow_versions
WHERE team_id = :team_id AND slug = :slug AND version < :before AND deleted_at IS NULL
ORDER BY version DESC
LIMIT :fetched

-- name: current_of_slugs
SELECT found.slug, found.version, found.source
FROM json_each(:slugs) AS given -- (sqlite)
FROM json_array_elements_text(CAST(CAST(:slugs AS TEXT) AS JSON)) AS given (value) -- (postgresql)
JOIN workflow_versions AS found ON found.team_id = :team_id AND found.slug = given.value
    AND found.version = (
        SELECT MAX(newest.version) FROM workflow_versions AS newest
        WHERE newest.team_id = :team_id AND newest.slug = given.value AND newest.deleted_at IS NULL
    )

-- A workflow may have very many versions: the slugs are found one by one, each by one look into the index.
-- name: page
WITH RECURSIVE slugs (slug, position) AS (
    SELECT (SELECT MIN(slug) FROM workflow_versions
        WHERE team_id = :team_id AND slug > :after AND deleted_at IS NULL), 1
    UNION ALL
    SELECT (
        SELECT MIN(next.slug) FROM workflow_versions AS next
        WHERE next.team_id = :team_id AND next.slug > slugs.slug AND next.deleted_at IS NULL
    ), slugs.position + 1
    FROM slugs
    WHERE slugs.slug IS NOT NULL AND slugs.position < :fetched
)
SELECT found.id, found.slug, found.version, found.name, found.source, found.max_steps, found.inputs,
    found.published_by, found.created_at,
    CASE WHEN EXISTS (
        SELECT 1 FROM disabled_workflows AS off WHERE off.team_id = found.team_id AND off.slug = found.slug
    ) THEN 1 ELSE 0 END AS disabled
FROM slugs
JOIN workflow_versions AS found ON found.team_id = :team_id AND found.slug = slugs.slug
    AND found.version = (
        SELECT MAX(newest.version) FROM workflow_versions AS newest
        WHERE newest.team_id = :team_id AND newest.slug = slugs.slug AND newest.deleted_at IS NULL
    )
ORDER BY found.slug

-- name: newest_version [quick]
-- Those that were deleted count too.
SELECT MAX(version) AS version FROM workflow_versions WHERE team_id = :team_id AND slug = :slug

-- name: delete_unused
-- Those that no run began with; returns what they took.
DELETE FROM workflow_versions
WHERE team_id = :team_id AND slug = :slug AND source IS NULL AND deleted_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM runs
    WHERE runs.team_id = workflow_versions.team_id AND runs.slug = workflow_versions.slug
        AND runs.version = workflow_versions.version
)
RETURNING LENGTH(CAST(spec AS BLOB)) AS size -- (sqlite)
RETURNING OCTET_LENGTH(spec) AS size -- (postgresql)

-- name: mark_deleted
UPDATE workflow_versions SET deleted_at = :now
WHERE team_id = :team_id AND slug = :slug AND source IS NULL AND deleted_at IS NULL
RETURNING LENGTH(CAST(spec AS BLOB)) AS size -- (sqlite)
RETURNING OCTET_LENGTH(spec) AS size -- (postgresql)

-- name: disable [quick]
INSERT INTO disabled_workflows (team_id, slug, org_id) VALUES (:team_id, :slug, :org_id) ON CONFLICT DO NOTHING

-- name: enable [quick]
DELETE FROM disabled_workflows WHERE team_id = :team_id AND slug = :slug

-- name: insert_version
INSERT INTO workflow_versions (
    team_id, slug, version, id, org_id, name, spec, max_steps, inputs, source, published_by, created_at
)
VALUES (
    :team_id, :slug, :version, :id, :org_id, :name, :spec, :max_steps, :inputs, CAST(:source AS TEXT),
    CAST(:published_by AS TEXT), :now
)
ON CONFLICT (team_id, slug, version) DO NOTHING

-- name: count_of_source
SELECT COUNT(*) AS many FROM workflow_versions WHERE source = :source

-- name: detach_used_versions
-- What a run began with is kept with the run; a name with a space is no plugin's.
UPDATE workflow_versions SET source = CAST(:source AS TEXT) || ' (removed)'
WHERE source = :source AND EXISTS (
    SELECT 1 FROM runs
    WHERE runs.team_id = workflow_versions.team_id AND runs.slug = workflow_versions.slug
        AND runs.version = workflow_versions.version
)

-- name: drop_versions_of_source
DELETE FROM workflow_versions WHERE source = :source

-- name: held_by_team
SELECT slug FROM workflow_versions
WHERE team_id = :team_id AND source IS NULL AND deleted_at IS NULL LIMIT 1

-- name: clashing_slug
SELECT here.slug FROM workflow_versions AS here
WHERE here.team_id = :source AND here.org_id = :org_id AND here.source IS NULL AND here.deleted_at IS NULL
    AND EXISTS (
        SELECT 1 FROM workflow_versions AS there WHERE there.team_id = :target AND there.slug = here.slug
    )
LIMIT 1

-- name: move_to_team
-- What plugins ship every team has.
UPDATE workflow_versions SET team_id = :target
WHERE team_id = :source AND org_id = :org_id AND source IS NULL AND deleted_at IS NULL
