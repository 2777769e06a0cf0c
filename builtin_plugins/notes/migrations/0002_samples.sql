-- The sample that a note was made from: a team has each once, and again after it deleted its own.
ALTER TABLE notes ADD COLUMN sample $ID;

CREATE UNIQUE INDEX notes_from_samples ON notes (team_id, sample) WHERE sample IS NOT NULL;
