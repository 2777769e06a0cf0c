-- The version of a server process; NULL is one from before they said it.
ALTER TABLE processes ADD COLUMN version TEXT;
