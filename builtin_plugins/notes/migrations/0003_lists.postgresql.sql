-- One plan serves every team: what belongs to one of them, or to a person, is to be found by the index that
-- names it, however few teams there are.
ALTER TABLE notes ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE notes ALTER COLUMN org_id SET (n_distinct = -0.05);

ALTER TABLE notes ALTER COLUMN owner_id SET (n_distinct = -0.05);

ALTER TABLE note_shares ALTER COLUMN user_id SET (n_distinct = -0.05);
