-- One plan serves every tag: its notes are to be found by the index that names it, however few tags there are.
ALTER TABLE note_tags ALTER COLUMN org_id SET (n_distinct = -0.05);

ALTER TABLE note_tags ALTER COLUMN tag SET (n_distinct = -0.05);
