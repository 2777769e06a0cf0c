-- A key whose caller is remembered moves the version of access with what changes of it: see docs/plugins/views.md.
CREATE CONSTRAINT TRIGGER s3_keys_access AFTER DELETE
OR UPDATE OF id, access_key_id, org_id, team_id, user_id, scope, expires_at
ON s3_keys DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();
