-- One plan serves every team: what belongs to one of them is to be found by the index that names it.
ALTER TABLE doc_triggers ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE doc_trigger_prefixes ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE doc_trigger_prefixes ALTER COLUMN parent SET (n_distinct = -0.05);

ALTER TABLE doc_trigger_matches ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE doc_trigger_fires ALTER COLUMN trigger_id SET (n_distinct = -0.05);
