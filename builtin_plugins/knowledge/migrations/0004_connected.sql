-- How often relations of documents name an entity, or what was merged into it, at either end; of roots alone. Lists
-- begin with the most connected, of each type by its own index.
ALTER TABLE kg_entities ADD COLUMN links BIGINT NOT NULL DEFAULT 0;

UPDATE kg_entities SET links = (
    SELECT COUNT(*) FROM kg_entities AS parts JOIN kg_relations ON kg_relations.subject_id = parts.id
    WHERE parts.root_id = kg_entities.id
) + (
    SELECT COUNT(*) FROM kg_entities AS parts JOIN kg_relations ON kg_relations.target_id = parts.id
    WHERE parts.root_id = kg_entities.id
)
WHERE parent_id IS NULL;

CREATE INDEX kg_connected_of_team ON kg_entities (team_id, type, links DESC, id DESC) WHERE parent_id IS NULL;

CREATE INDEX kg_connected_of_org ON kg_entities (org_id, type, links DESC, id DESC) WHERE parent_id IS NULL;
