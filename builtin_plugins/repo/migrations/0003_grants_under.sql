-- Whose grant on the same object gave its giver the right to give it: it goes, and ends, with that one. Null
-- where the owner gave it, or somebody by their role.
ALTER TABLE object_grants ADD COLUMN under $ID;
