-- That a team has no trigger is remembered until the version of access moves: see docs/plugins/views.md.
CREATE TRIGGER doc_trigger_matches_access_added AFTER INSERT ON doc_trigger_matches BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER doc_trigger_matches_access_changed AFTER UPDATE OF team_id ON doc_trigger_matches BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;
