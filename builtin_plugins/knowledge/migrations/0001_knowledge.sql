-- Who and what documents speak of: one row for each normalised name and type of a team. `parent_id` is the entity
-- that took it in by a merge, `root_id` the one at the end of that line, itself where nobody did. `given_name` is
-- what a person called it; `type` is what is shown, `extracted_type` what documents say.
CREATE TABLE kg_entities (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    extracted_type TEXT NOT NULL,
    folded $ID NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    given_name TEXT,
    given_folded $ID,
    parent_id $ID REFERENCES kg_entities (id),
    root_id $ID NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX kg_entities_by_name ON kg_entities (team_id, extracted_type, folded);

CREATE INDEX kg_entities_by_given_name ON kg_entities (team_id, given_folded) WHERE given_folded IS NOT NULL;

CREATE INDEX kg_roots_of_team ON kg_entities (team_id, id) WHERE parent_id IS NULL;

CREATE INDEX kg_roots_of_org ON kg_entities (org_id, id) WHERE parent_id IS NULL;

CREATE INDEX kg_parts ON kg_entities (root_id, id);

CREATE INDEX kg_children ON kg_entities (parent_id) WHERE parent_id IS NOT NULL;

-- What a person said an entity is called too.
CREATE TABLE kg_aliases (
    entity_id $ID NOT NULL REFERENCES kg_entities (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    alias TEXT NOT NULL,
    folded $ID NOT NULL,
    PRIMARY KEY (entity_id, position)
);

CREATE INDEX kg_aliases_by_name ON kg_aliases (team_id, folded);

-- A passage of a version of a document; it counts while that version is the newest. `ref_id` is the document.
CREATE TABLE kg_mentions (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    entity_id $ID NOT NULL REFERENCES kg_entities (id),
    ref_id $ID NOT NULL,
    version_id $ID NOT NULL,
    name TEXT NOT NULL,
    snippet TEXT NOT NULL
);

CREATE INDEX kg_mentions_of_entity ON kg_mentions (entity_id, id);

CREATE INDEX kg_mentions_of_document ON kg_mentions (ref_id);

-- What a document says of two entities that it mentions.
CREATE TABLE kg_relations (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    subject_id $ID NOT NULL REFERENCES kg_entities (id),
    predicate TEXT NOT NULL,
    target_id $ID NOT NULL REFERENCES kg_entities (id),
    ref_id $ID NOT NULL,
    version_id $ID NOT NULL,
    quote TEXT NOT NULL
);

CREATE INDEX kg_relations_of_subject ON kg_relations (subject_id, id);

CREATE INDEX kg_relations_of_target ON kg_relations (target_id, id);

CREATE INDEX kg_relations_of_document ON kg_relations (ref_id);

-- What likely twins share: words of their names as they sound, and initials.
CREATE TABLE kg_keys (
    team_id $ID NOT NULL REFERENCES teams (id),
    key $ID NOT NULL,
    entity_id $ID NOT NULL REFERENCES kg_entities (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    PRIMARY KEY (team_id, key, entity_id)
);

CREATE INDEX kg_keys_of_entity ON kg_keys (entity_id);

-- The version of a document that was extracted, and the last one for which that failed.
CREATE TABLE kg_extractions (
    object_id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    version_id $ID,
    failed_version_id $ID,
    failed_at BIGINT
);

-- What was found in pieces of a long document, until all of them are there.
CREATE TABLE kg_pieces (
    object_id $ID NOT NULL,
    version_id $ID NOT NULL,
    number INTEGER NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    found TEXT NOT NULL,
    PRIMARY KEY (object_id, version_id, number)
);

-- One row for each entity that a merge took in; those of one merge share its id.
CREATE TABLE kg_merges (
    id $ID NOT NULL,
    from_id $ID NOT NULL REFERENCES kg_entities (id) ON DELETE CASCADE,
    into_id $ID NOT NULL REFERENCES kg_entities (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    merged_at BIGINT NOT NULL,
    merged_by $ID NOT NULL REFERENCES users (id),
    PRIMARY KEY (id, from_id)
);

CREATE INDEX kg_merges_into ON kg_merges (into_id, merged_at);

CREATE INDEX kg_merges_from ON kg_merges (from_id);
