-- One plan serves every team and every entity: what belongs to one of them is to be found by the index that names
-- it, however few there are.
ALTER TABLE kg_entities ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE kg_entities ALTER COLUMN org_id SET (n_distinct = -0.05);

ALTER TABLE kg_entities ALTER COLUMN root_id SET (n_distinct = -0.9);

ALTER TABLE kg_mentions ALTER COLUMN entity_id SET (n_distinct = -0.2);

ALTER TABLE kg_mentions ALTER COLUMN ref_id SET (n_distinct = -0.05);

ALTER TABLE kg_relations ALTER COLUMN subject_id SET (n_distinct = -0.2);

ALTER TABLE kg_relations ALTER COLUMN target_id SET (n_distinct = -0.2);

ALTER TABLE kg_keys ALTER COLUMN team_id SET (n_distinct = -0.05);
