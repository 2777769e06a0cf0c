-- The version of a derived document that somebody asked to have read.
ALTER TABLE kg_extractions ADD COLUMN asked_version_id $ID;
