-- A key whose caller is remembered moves the version of access with what changes of it: see docs/plugins/views.md.
CREATE TRIGGER s3_keys_access_changed
AFTER UPDATE OF id, access_key_id, org_id, team_id, user_id, scope, expires_at ON s3_keys BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER s3_keys_access_removed AFTER DELETE ON s3_keys BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;
