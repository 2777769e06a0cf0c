-- That a team has no trigger is remembered until the version of access moves: see docs/plugins/views.md.
CREATE CONSTRAINT TRIGGER doc_trigger_matches_access AFTER INSERT OR UPDATE OF team_id
ON doc_trigger_matches DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();
