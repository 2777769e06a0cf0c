-- One plan serves every team: what belongs to one of them, or to a language or a person, is to be found by the
-- index that names it, however few there are.
ALTER TABLE glossary_terms ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE glossary_terms ALTER COLUMN target SET (n_distinct = -0.05);

ALTER TABLE translations ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE translations ALTER COLUMN user_id SET (n_distinct = -0.05);
