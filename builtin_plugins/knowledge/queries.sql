-- `1 = 0 /* readable */` stands where `statements.py` puts the repository's own rule, which asks of `hit.ref_id`;
-- CROSS JOIN keeps the order in which an index leads from one table to the next.

-- name: root_of [quick]
SELECT id, root_id, team_id FROM kg_entities WHERE id = :id AND org_id = :org_id

-- name: page [long]
SELECT root.id FROM kg_entities AS root
WHERE root.team_id = :team_id AND root.parent_id IS NULL AND root.id < :before
    AND (CAST(:type AS TEXT) IS NULL OR root.type = CAST(:type AS TEXT))
    AND (
        SELECT 1
        FROM kg_entities AS parts CROSS JOIN kg_mentions AS hit CROSS JOIN published_objects AS source
        WHERE parts.root_id = root.id AND hit.entity_id = parts.id
            AND source.id = hit.ref_id AND source.version_id = hit.version_id AND (1 = 0 /* readable */)
        LIMIT 1
    ) IS NOT NULL
ORDER BY root.id DESC
LIMIT :limit

-- name: connected [long]
-- Of one type those that documents relate to most others first.
SELECT root.id, root.links FROM kg_entities AS root
WHERE root.team_id = :team_id AND root.type = :type AND root.parent_id IS NULL
    AND (root.links, root.id) < (CAST(:links AS BIGINT), CAST(:before AS TEXT))
    AND (
        SELECT 1
        FROM kg_entities AS parts CROSS JOIN kg_mentions AS hit CROSS JOIN published_objects AS source
        WHERE parts.root_id = root.id AND hit.entity_id = parts.id
            AND source.id = hit.ref_id AND source.version_id = hit.version_id AND (1 = 0 /* readable */)
        LIMIT 1
    ) IS NOT NULL
ORDER BY root.links DESC, root.id DESC
LIMIT :limit

-- name: mentioned_in [long]
-- Who and what one document speaks of.
SELECT DISTINCT root.id
FROM kg_mentions AS hit
JOIN kg_entities AS parts ON parts.id = hit.entity_id
JOIN kg_entities AS root ON root.id = parts.root_id
JOIN published_objects AS source ON source.id = hit.ref_id AND source.version_id = hit.version_id
WHERE hit.ref_id = :object_id AND root.org_id = :org_id AND root.id < :before
    AND (CAST(:type AS TEXT) IS NULL OR root.type = CAST(:type AS TEXT))
    AND (1 = 0 /* readable */)
ORDER BY root.id DESC
LIMIT :limit

-- name: matching [long]
-- By a name that people gave for whoever sees the entity at all; by one that documents use for whoever reads such
-- a document.
SELECT root.id FROM kg_entities AS root
WHERE root.team_id = :team_id AND root.parent_id IS NULL AND root.id < :before
    AND (CAST(:type AS TEXT) IS NULL OR root.type = CAST(:type AS TEXT))
    AND (
        SELECT 1
        FROM kg_entities AS parts CROSS JOIN kg_mentions AS hit CROSS JOIN published_objects AS source
        WHERE parts.root_id = root.id
            AND (
                INSTR(parts.folded, :q) > 0 -- (sqlite)
                STRPOS(parts.folded, CAST(:q AS TEXT)) > 0 -- (postgresql)
                OR EXISTS (
                    SELECT 1 FROM kg_entities AS given
                    WHERE given.root_id = root.id
                        AND INSTR(given.given_folded, :q) > 0 -- (sqlite)
                        AND STRPOS(given.given_folded, CAST(:q AS TEXT)) > 0 -- (postgresql)
                )
                OR EXISTS (
                    SELECT 1 FROM kg_entities AS named JOIN kg_aliases AS aliases ON aliases.entity_id = named.id
                    WHERE named.root_id = root.id
                        AND INSTR(aliases.folded, :q) > 0 -- (sqlite)
                        AND STRPOS(aliases.folded, CAST(:q AS TEXT)) > 0 -- (postgresql)
                )
            )
            AND hit.entity_id = parts.id
            AND source.id = hit.ref_id AND source.version_id = hit.version_id AND (1 = 0 /* readable */)
        LIMIT 1
    ) IS NOT NULL
ORDER BY root.id DESC
LIMIT :limit

-- name: newest_mentions [part]
SELECT hit.id, hit.name, hit.ref_id AS object_id, source.key, hit.snippet
FROM kg_mentions AS hit CROSS JOIN published_objects AS source
WHERE hit.entity_id = parts.id
    AND source.id = hit.ref_id AND source.version_id = hit.version_id AND (1 = 0 /* readable */)
ORDER BY hit.id DESC
LIMIT :each

-- name: described (sqlite) [long]
-- Of each entity its parts, and of each of those the newest mentions that the caller can read.
SELECT
    root.id, root.team_id, root.type, root.name, root.given_name, parts.id AS part_id,
    parts.given_name AS part_given_name,
    (
        SELECT json_group_array(json_array(found.id, found.name, found.object_id, found.key, found.snippet))
        FROM (
            -- use: newest_mentions
        ) AS found
    ) AS mentions,
    (
        SELECT json_group_array(alias) FROM (
            SELECT alias FROM kg_aliases WHERE kg_aliases.entity_id = parts.id ORDER BY position
        ) AS given
    ) AS aliases
FROM json_each(:ids) AS wanted
CROSS JOIN kg_entities AS root
CROSS JOIN kg_entities AS parts
WHERE root.id = wanted.value AND root.org_id = :org_id AND parts.root_id = root.id
ORDER BY parts.id

-- name: described (postgresql) [long]
SELECT
    root.id, root.team_id, root.type, root.name, root.given_name, parts.id AS part_id,
    parts.given_name AS part_given_name,
    CAST((
        SELECT COALESCE(json_agg(
            json_build_array(found.id, found.name, found.object_id, found.key, found.snippet)
        ), '[]')
        FROM (
            -- use: newest_mentions
        ) AS found
    ) AS TEXT) AS mentions,
    CAST((
        SELECT COALESCE(json_agg(alias ORDER BY position), '[]')
        FROM kg_aliases WHERE kg_aliases.entity_id = parts.id
    ) AS TEXT) AS aliases
FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) AS wanted (value)
JOIN kg_entities AS root ON root.id = wanted.value
JOIN kg_entities AS parts ON parts.root_id = root.id
WHERE root.org_id = :org_id
ORDER BY parts.id

-- name: outgoing_relations [part]
SELECT hit.id, hit.predicate, other.root_id AS other_id
FROM kg_relations AS hit CROSS JOIN published_objects AS source CROSS JOIN kg_entities AS other
WHERE hit.subject_id = parts.id AND other.id = hit.target_id
    AND source.id = hit.ref_id AND source.version_id = hit.version_id AND (1 = 0 /* readable */)
ORDER BY hit.id DESC
LIMIT :each

-- name: incoming_relations [part]
SELECT hit.id, hit.predicate, other.root_id AS other_id
FROM kg_relations AS hit CROSS JOIN published_objects AS source CROSS JOIN kg_entities AS other
WHERE hit.target_id = parts.id AND other.id = hit.subject_id
    AND source.id = hit.ref_id AND source.version_id = hit.version_id AND (1 = 0 /* readable */)
ORDER BY hit.id DESC
LIMIT :each

-- name: relations [long]
-- Of each part of these entities the newest relations that the caller can read, both ways.
SELECT
    parts.root_id AS id,
    ( -- (sqlite)
    CAST(( -- (postgresql)
        SELECT json_group_array(json_array(found.id, found.predicate, found.other_id)) -- (sqlite)
        SELECT COALESCE(json_agg(json_build_array(found.id, found.predicate, found.other_id)), '[]') -- (postgresql)
        FROM (
            -- use: outgoing_relations
        ) AS found
    ) AS outgoing, -- (sqlite)
    ) AS TEXT) AS outgoing, -- (postgresql)
    ( -- (sqlite)
    CAST(( -- (postgresql)
        SELECT json_group_array(json_array(found.id, found.predicate, found.other_id)) -- (sqlite)
        SELECT COALESCE(json_agg(json_build_array(found.id, found.predicate, found.other_id)), '[]') -- (postgresql)
        FROM (
            -- use: incoming_relations
        ) AS found
    ) AS incoming -- (sqlite)
    ) AS TEXT) AS incoming -- (postgresql)
FROM json_each(:ids) AS wanted -- (sqlite)
CROSS JOIN kg_entities AS parts -- (sqlite)
WHERE parts.root_id = wanted.value AND parts.org_id = :org_id -- (sqlite)
FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) AS wanted (value) -- (postgresql)
JOIN kg_entities AS parts ON parts.root_id = wanted.value -- (postgresql)
WHERE parts.org_id = :org_id -- (postgresql)

-- name: sharing_keys [long]
-- Of each key the entities whose mentions the caller can read, a bounded number.
SELECT ( -- (sqlite)
SELECT CAST(( -- (postgresql)
    SELECT json_group_array(found.root_id) FROM ( -- (sqlite)
    SELECT COALESCE(json_agg(found.root_id), '[]') FROM ( -- (postgresql)
        SELECT parts.root_id
        FROM kg_keys AS keys CROSS JOIN kg_entities AS parts
        WHERE keys.team_id = :of_team AND keys.key = wanted.value AND parts.id = keys.entity_id
            AND (
                SELECT 1 FROM kg_mentions AS hit CROSS JOIN published_objects AS source
                WHERE hit.entity_id = parts.id
                    AND source.id = hit.ref_id AND source.version_id = hit.version_id AND (1 = 0 /* readable */)
                LIMIT 1
            ) IS NOT NULL
        ORDER BY keys.entity_id DESC
        LIMIT :each
    ) AS found
) AS ids -- (sqlite)
) AS TEXT) AS ids -- (postgresql)
FROM json_each(:keys) AS wanted -- (sqlite)
FROM json_array_elements_text(CAST(CAST(:keys AS TEXT) AS JSON)) AS wanted (value) -- (postgresql)

-- name: unextracted [long]
-- What failed last time comes last: a document that no model can answer for keeps none from its turn. What was made
-- from other documents says what those say: it is left out unless somebody asked for it.
SELECT hit.ref_id AS id
FROM (
    SELECT id AS ref_id, version_id FROM published_objects
    WHERE team_id = :team_id AND org_id = :org_id AND text_status IN ('indexed', 'pending', 'stale')
) AS hit
LEFT JOIN kg_extractions AS extractions ON extractions.object_id = hit.ref_id
WHERE (extractions.version_id IS NULL OR extractions.version_id <> hit.version_id)
    AND (
        CAST(:include_derived AS INTEGER) = 1
        OR extractions.asked_version_id = hit.version_id
        OR NOT EXISTS (
            SELECT 1 FROM published_derivations AS derived
            WHERE derived.object_id = hit.ref_id AND derived.version_id = hit.version_id
        )
    )
    AND (1 = 0 /* readable */)
ORDER BY
    CASE WHEN extractions.failed_version_id = hit.version_id THEN extractions.failed_at ELSE 0 END, hit.ref_id
LIMIT :limit

-- name: merges
-- What an entity took in lately, newest first.
SELECT merges.id, merges.from_id, merges.merged_at, entities.name, entities.given_name, entities.type
FROM kg_merges AS merges JOIN kg_entities AS entities ON entities.id = merges.from_id
WHERE merges.into_id = :id AND merges.org_id = :org_id AND merges.merged_at > :since
    AND entities.parent_id = merges.into_id
ORDER BY merges.merged_at DESC, merges.from_id
LIMIT 200

-- name: count_entities
SELECT COUNT(*) FROM kg_entities

-- name: findable
-- Found by the name in its entry, so only by those who read a document with that name.
SELECT 1
FROM kg_entities AS entities
WHERE entities.id = hit.ref_id AND entities.org_id = :org_id
    AND (
        SELECT 1 FROM kg_mentions AS hit CROSS JOIN published_objects AS source
        WHERE hit.entity_id = entities.id
            AND source.id = hit.ref_id AND source.version_id = hit.version_id
            AND (1 = 0 /* readable: object */)
        LIMIT 1
    ) IS NOT NULL

-- name: few_entities
SELECT DISTINCT kg_mentions.entity_id AS ref_id
FROM kg_mentions
WHERE kg_mentions.ref_id IN (
    SELECT ref_id FROM (
        SELECT '' AS ref_id WHERE 1 = 0 /* few: object */
    ) AS read_by_them
)
LIMIT :limit

-- name: every (sqlite)
SELECT
    id AS ref_id, org_id, team_id, COALESCE(given_name, name) AS title,
    name || CHAR(10) || COALESCE(
        (SELECT GROUP_CONCAT(alias, CHAR(10)) FROM kg_aliases WHERE kg_aliases.entity_id = kg_entities.id), ''
    ) AS text
FROM kg_entities
WHERE id > :after
ORDER BY id
LIMIT :limit

-- name: every (postgresql)
SELECT
    id AS ref_id, org_id, team_id, COALESCE(given_name, name) AS title,
    name || CHR(10) || COALESCE(
        (SELECT STRING_AGG(alias, CHR(10)) FROM kg_aliases WHERE kg_aliases.entity_id = kg_entities.id), ''
    ) AS text
FROM kg_entities
WHERE id > :after
ORDER BY id
LIMIT :limit
FOR SHARE

-- name: versions_in_use (sqlite)
-- The versions that what is known of documents which stand was taken from.
SELECT extractions.version_id
FROM json_each(:versions) AS wanted
JOIN kg_extractions AS extractions ON extractions.object_id = json_extract(wanted.value, '$[0]')
JOIN published_objects AS source ON source.id = extractions.object_id
WHERE extractions.version_id = json_extract(wanted.value, '$[2]') AND extractions.team_id = :team_id

-- name: versions_in_use (postgresql)
SELECT extractions.version_id
FROM json_array_elements(CAST(CAST(:versions AS TEXT) AS JSON)) AS wanted (value)
JOIN kg_extractions AS extractions ON extractions.object_id = wanted.value ->> 0
JOIN published_objects AS source ON source.id = extractions.object_id
WHERE extractions.version_id = wanted.value ->> 2 AND extractions.team_id = :team_id
