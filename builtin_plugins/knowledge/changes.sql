-- name: existing (sqlite)
-- Entities by name and type, with whether any document mentions them.
SELECT
    entities.id, entities.root_id, entities.extracted_type, entities.folded,
    NOT EXISTS (SELECT 1 FROM kg_mentions WHERE kg_mentions.entity_id = entities.id) AS bare
FROM json_each(:names) AS wanted
JOIN kg_entities AS entities
    ON entities.team_id = :team_id
    AND entities.extracted_type = json_extract(wanted.value, '$[0]')
    AND entities.folded = json_extract(wanted.value, '$[1]')

-- name: existing (postgresql)
SELECT
    entities.id, entities.root_id, entities.extracted_type, entities.folded,
    CASE WHEN EXISTS (SELECT 1 FROM kg_mentions WHERE kg_mentions.entity_id = entities.id)
        THEN 0 ELSE 1 END AS bare
FROM json_array_elements(CAST(CAST(:names AS TEXT) AS JSON)) AS wanted (value)
JOIN kg_entities AS entities
    ON entities.team_id = :team_id
    AND entities.extracted_type = wanted.value ->> 0
    AND entities.folded = wanted.value ->> 1

-- name: given (sqlite)
-- Entities that people called by these names.
SELECT entities.id, entities.root_id, entities.type, entities.given_folded AS folded
FROM json_each(:folded) AS wanted
JOIN kg_entities AS entities ON entities.team_id = :team_id AND entities.given_folded = wanted.value
UNION
SELECT entities.id, entities.root_id, entities.type, aliases.folded
FROM json_each(:folded) AS wanted
JOIN kg_aliases AS aliases ON aliases.team_id = :team_id AND aliases.folded = wanted.value
JOIN kg_entities AS entities ON entities.id = aliases.entity_id

-- name: given (postgresql)
SELECT entities.id, entities.root_id, entities.type, entities.given_folded AS folded
FROM json_array_elements_text(CAST(CAST(:folded AS TEXT) AS JSON)) AS wanted (value)
JOIN kg_entities AS entities ON entities.team_id = :team_id AND entities.given_folded = wanted.value
UNION
SELECT entities.id, entities.root_id, entities.type, aliases.folded
FROM json_array_elements_text(CAST(CAST(:folded AS TEXT) AS JSON)) AS wanted (value)
JOIN kg_aliases AS aliases ON aliases.team_id = :team_id AND aliases.folded = wanted.value
JOIN kg_entities AS entities ON entities.id = aliases.entity_id

-- name: insert_entities (sqlite)
INSERT INTO kg_entities (
    id, org_id, team_id, extracted_type, folded, name, type, parent_id, root_id, created_at, updated_at
)
SELECT
    json_extract(value, '$.id'), :org_id, :team_id, json_extract(value, '$.type'),
    json_extract(value, '$.folded'), json_extract(value, '$.name'), json_extract(value, '$.type'),
    json_extract(value, '$.parent_id'), json_extract(value, '$.root_id'), :now, :now
FROM json_each(:rows)

-- name: insert_entities (postgresql)
INSERT INTO kg_entities (
    id, org_id, team_id, extracted_type, folded, name, type, parent_id, root_id, created_at, updated_at
)
SELECT
    given.id, CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), given.type, given.folded, given.name, given.type,
    given.parent_id, given.root_id, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
FROM json_to_recordset(CAST(CAST(:rows AS TEXT) AS JSON)) AS given (
    id TEXT, type TEXT, folded TEXT, name TEXT, parent_id TEXT, root_id TEXT
)

-- name: insert_mentions (sqlite)
INSERT INTO kg_mentions (id, org_id, team_id, entity_id, ref_id, version_id, name, snippet)
SELECT
    json_extract(value, '$[0]'), :org_id, :team_id, json_extract(value, '$[1]'), :object_id, :version_id,
    json_extract(value, '$[2]'), json_extract(value, '$[3]')
FROM json_each(:rows)

-- name: insert_mentions (postgresql)
INSERT INTO kg_mentions (id, org_id, team_id, entity_id, ref_id, version_id, name, snippet)
SELECT
    value ->> 0, CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), value ->> 1, CAST(:object_id AS TEXT),
    CAST(:version_id AS TEXT), value ->> 2, value ->> 3
FROM json_array_elements(CAST(CAST(:rows AS TEXT) AS JSON)) AS given (value)

-- name: insert_relations (sqlite)
INSERT INTO kg_relations (
    id, org_id, team_id, subject_id, predicate, target_id, ref_id, version_id, quote
)
SELECT
    json_extract(value, '$[0]'), :org_id, :team_id, json_extract(value, '$[1]'), json_extract(value, '$[2]'),
    json_extract(value, '$[3]'), :object_id, :version_id, json_extract(value, '$[4]')
FROM json_each(:rows)

-- name: insert_relations (postgresql)
INSERT INTO kg_relations (
    id, org_id, team_id, subject_id, predicate, target_id, ref_id, version_id, quote
)
SELECT
    value ->> 0, CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), value ->> 1, value ->> 2, value ->> 3,
    CAST(:object_id AS TEXT), CAST(:version_id AS TEXT), value ->> 4
FROM json_array_elements(CAST(CAST(:rows AS TEXT) AS JSON)) AS given (value)

-- name: insert_keys (sqlite)
INSERT INTO kg_keys (team_id, key, entity_id, org_id)
SELECT :team_id, json_extract(value, '$[0]'), json_extract(value, '$[1]'), :org_id FROM json_each(:rows)
WHERE true
ON CONFLICT (team_id, key, entity_id) DO NOTHING

-- name: insert_keys (postgresql)
INSERT INTO kg_keys (team_id, key, entity_id, org_id)
SELECT CAST(:team_id AS TEXT), value ->> 0, value ->> 1, CAST(:org_id AS TEXT)
FROM json_array_elements(CAST(CAST(:rows AS TEXT) AS JSON)) AS given (value)
ON CONFLICT (team_id, key, entity_id) DO NOTHING

-- name: delete_keys
DELETE FROM kg_keys WHERE entity_id = :id AND org_id = :org_id

-- name: mentioned_in
SELECT DISTINCT entity_id FROM kg_mentions WHERE ref_id = :object_id AND team_id = :team_id

-- name: delete_mentions
DELETE FROM kg_mentions WHERE ref_id = :object_id AND team_id = :team_id

-- name: delete_relations
DELETE FROM kg_relations WHERE ref_id = :object_id AND team_id = :team_id

-- name: shift_links
-- Counts the relations of a document for the entities at their ends, or takes them off again.
UPDATE kg_entities SET links = kg_entities.links + CAST(:by AS BIGINT) * counted.ends
FROM (
    SELECT parts.root_id, COUNT(*) AS ends
    FROM (
        SELECT subject_id AS id FROM kg_relations WHERE ref_id = :object_id AND team_id = :team_id
        UNION ALL
        SELECT target_id AS id FROM kg_relations WHERE ref_id = :object_id AND team_id = :team_id
    ) AS named JOIN kg_entities AS parts ON parts.id = named.id
    GROUP BY parts.root_id
) AS counted
WHERE kg_entities.id = counted.root_id AND kg_entities.team_id = :team_id

-- name: count_links
-- Anew, where entities were merged or taken apart.
UPDATE kg_entities SET links = (
    SELECT COUNT(*) FROM kg_entities AS parts JOIN kg_relations ON kg_relations.subject_id = parts.id
    WHERE parts.root_id = kg_entities.id
) + (
    SELECT COUNT(*) FROM kg_entities AS parts JOIN kg_relations ON kg_relations.target_id = parts.id
    WHERE parts.root_id = kg_entities.id
)
WHERE team_id = :team_id
    AND id IN (SELECT value FROM json_each(:ids)) -- (sqlite)
    AND id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON))) -- (postgresql)

-- name: unmentioned (sqlite)
-- Of these entities those that no document mentions; `disposable` where nobody changed or merged them either.
SELECT
    entities.id,
    entities.parent_id IS NULL AND entities.given_name IS NULL AND entities.type = entities.extracted_type
        AND NOT EXISTS (SELECT 1 FROM kg_entities AS children WHERE children.parent_id = entities.id)
        AND NOT EXISTS (SELECT 1 FROM kg_aliases WHERE kg_aliases.entity_id = entities.id) AS disposable
FROM json_each(:ids) AS wanted JOIN kg_entities AS entities ON entities.id = wanted.value
WHERE entities.team_id = :team_id
    AND NOT EXISTS (SELECT 1 FROM kg_mentions WHERE kg_mentions.entity_id = entities.id)

-- name: unmentioned (postgresql)
SELECT
    entities.id,
    CASE WHEN entities.parent_id IS NULL AND entities.given_name IS NULL
        AND entities.type = entities.extracted_type
        AND NOT EXISTS (SELECT 1 FROM kg_entities AS children WHERE children.parent_id = entities.id)
        AND NOT EXISTS (SELECT 1 FROM kg_aliases WHERE kg_aliases.entity_id = entities.id)
        THEN 1 ELSE 0 END AS disposable
FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) AS wanted (value)
JOIN kg_entities AS entities ON entities.id = wanted.value
WHERE entities.team_id = :team_id
    AND NOT EXISTS (SELECT 1 FROM kg_mentions WHERE kg_mentions.entity_id = entities.id)

-- name: delete_entity
DELETE FROM kg_entities WHERE id = :id AND team_id = :team_id

-- name: extraction_of
SELECT object_id, org_id, team_id, version_id FROM kg_extractions WHERE object_id = :object_id

-- name: was_extracted [quick]
SELECT 1 FROM kg_extractions WHERE object_id = :object_id

-- name: there [quick]
SELECT 1 FROM published_objects WHERE id = :id AND org_id = :org_id

-- name: extracted
INSERT INTO kg_extractions (object_id, org_id, team_id, version_id)
VALUES (:object_id, :org_id, :team_id, :version_id)
ON CONFLICT (object_id) DO UPDATE
SET version_id = excluded.version_id, failed_version_id = NULL, failed_at = NULL

-- name: mark_derived_unread
-- Those of the documents made from others that were not read yet: the next run reads them too.
INSERT INTO kg_extractions (object_id, org_id, team_id, asked_version_id)
SELECT hit.ref_id, hit.org_id, hit.team_id, hit.version_id
FROM (
    SELECT id AS ref_id, org_id, team_id, version_id FROM published_objects
    WHERE team_id = :team_id AND org_id = :org_id AND text_status IN ('indexed', 'pending', 'stale')
) AS hit
LEFT JOIN kg_extractions AS extractions ON extractions.object_id = hit.ref_id
WHERE (extractions.version_id IS NULL OR extractions.version_id <> hit.version_id)
    AND EXISTS (
        SELECT 1 FROM published_derivations AS derived
        WHERE derived.object_id = hit.ref_id AND derived.version_id = hit.version_id
    )
    AND (1 = 0 /* readable */)
ORDER BY hit.ref_id
LIMIT :limit
ON CONFLICT (object_id) DO UPDATE SET asked_version_id = excluded.asked_version_id

-- name: extraction_begun
-- So that what is kept of the document goes with it, should it be deleted before all of it is read.
INSERT INTO kg_extractions (object_id, org_id, team_id) VALUES (:object_id, :org_id, :team_id)
ON CONFLICT (object_id) DO NOTHING

-- name: extraction_failed
INSERT INTO kg_extractions (object_id, org_id, team_id, failed_version_id, failed_at)
VALUES (:object_id, :org_id, :team_id, :version_id, :now)
ON CONFLICT (object_id) DO UPDATE
SET failed_version_id = excluded.failed_version_id, failed_at = excluded.failed_at

-- name: forget_extraction
DELETE FROM kg_extractions WHERE object_id = :object_id

-- name: piece
SELECT found FROM kg_pieces
WHERE object_id = :object_id AND version_id = :version_id AND number = :number AND org_id = :org_id

-- name: keep_piece
INSERT INTO kg_pieces (object_id, version_id, number, org_id, team_id, found)
VALUES (:object_id, :version_id, :number, :org_id, :team_id, :found)
ON CONFLICT (object_id, version_id, number) DO NOTHING

-- name: delete_pieces
DELETE FROM kg_pieces WHERE object_id = :object_id AND org_id = :org_id

-- name: delete_older_pieces
DELETE FROM kg_pieces WHERE object_id = :object_id AND version_id <> :version_id AND org_id = :org_id

-- name: entity
SELECT id, org_id, team_id, name, type, given_name, parent_id, root_id FROM kg_entities
WHERE id = :id AND org_id = :org_id

-- name: aliases
SELECT alias FROM kg_aliases WHERE entity_id = :id ORDER BY position

-- name: set_fields
UPDATE kg_entities
SET given_name = COALESCE(CAST(:given_name AS TEXT), given_name),
    given_folded = COALESCE(CAST(:given_folded AS TEXT), given_folded),
    type = COALESCE(CAST(:type AS TEXT), type),
    updated_at = :now
WHERE id = :id AND team_id = :team_id

-- name: delete_aliases
DELETE FROM kg_aliases WHERE entity_id = :id AND team_id = :team_id

-- name: insert_alias
INSERT INTO kg_aliases (entity_id, position, org_id, team_id, alias, folded)
VALUES (:id, :position, :org_id, :team_id, :alias, :folded)

-- name: parts
SELECT id, parent_id FROM kg_entities WHERE root_id = :id AND team_id = :team_id ORDER BY id LIMIT 1000

-- name: set_parent
UPDATE kg_entities SET parent_id = :parent_id, updated_at = :now WHERE id = :id AND team_id = :team_id

-- name: set_root (sqlite)
UPDATE kg_entities SET root_id = :root_id
WHERE team_id = :team_id AND id IN (SELECT value FROM json_each(:ids))

-- name: set_root (postgresql)
UPDATE kg_entities SET root_id = :root_id
WHERE team_id = :team_id AND id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))

-- name: insert_merge
INSERT INTO kg_merges (id, from_id, into_id, org_id, team_id, merged_at, merged_by)
VALUES (:id, :from_id, :into_id, :org_id, :team_id, :now, :user_id)

-- name: delete_merge
DELETE FROM kg_merges WHERE id = :id AND from_id = :from_id AND team_id = :team_id

-- name: held_by_team
SELECT id FROM kg_entities WHERE team_id = :team_id LIMIT 1

-- name: move_entities
-- Two of one name stay two, until somebody merges them.
UPDATE kg_entities SET
    team_id = :target,
    folded = CASE
        WHEN EXISTS (
            SELECT 1 FROM kg_entities AS twin
            WHERE twin.team_id = :target AND twin.extracted_type = kg_entities.extracted_type
                AND twin.folded = kg_entities.folded
        ) THEN folded || ' ' || id
        ELSE folded
    END
WHERE team_id = :source AND org_id = :org_id

-- name: move_aliases
UPDATE kg_aliases SET team_id = :target
WHERE entity_id IN (SELECT id FROM kg_entities WHERE team_id = :source AND org_id = :org_id)

-- name: move_mentions
UPDATE kg_mentions SET team_id = :target
WHERE entity_id IN (SELECT id FROM kg_entities WHERE team_id = :source AND org_id = :org_id)

-- name: move_relations
UPDATE kg_relations SET team_id = :target
WHERE subject_id IN (SELECT id FROM kg_entities WHERE team_id = :source AND org_id = :org_id)

-- name: move_keys
UPDATE kg_keys SET team_id = :target
WHERE entity_id IN (SELECT id FROM kg_entities WHERE team_id = :source AND org_id = :org_id)

-- name: move_extractions
UPDATE kg_extractions SET team_id = :target
WHERE team_id = :source AND org_id = :org_id
    AND object_id IN (SELECT id FROM published_objects WHERE team_id IN (:source, :target))

-- name: move_pieces
UPDATE kg_pieces SET team_id = :target
WHERE team_id = :source AND org_id = :org_id
    AND object_id IN (SELECT id FROM published_objects WHERE team_id IN (:source, :target))

-- name: move_merges
UPDATE kg_merges SET team_id = :target
WHERE into_id IN (SELECT id FROM kg_entities WHERE team_id = :source AND org_id = :org_id)
