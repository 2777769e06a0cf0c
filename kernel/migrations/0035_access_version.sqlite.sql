-- Moves with whatever changes who may do what: a caller who was read under one version is who they were for as long as
-- it stands, in every process. Dates of use move nothing. Nor does a new row, but for a membership: nobody was read with
-- it before.
CREATE TABLE access_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version TEXT NOT NULL
);

INSERT INTO access_version (id, version) VALUES (1, 'first');

CREATE TRIGGER credentials_access_changed
AFTER UPDATE OF id, kind, secret_hash, user_id, team_id, scope, made_with, began_at, created_at, expires_at
ON credentials BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER credentials_access_removed AFTER DELETE ON credentials BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER memberships_access_added AFTER INSERT ON memberships BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER memberships_access_changed AFTER UPDATE OF team_id, user_id, role, created_at ON memberships BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER memberships_access_removed AFTER DELETE ON memberships BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER users_access_changed
AFTER UPDATE OF id, username, display_name, locale, two_factor, operator, org_role, suspended_at
ON users BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER users_access_removed AFTER DELETE ON users BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER teams_access_changed AFTER UPDATE OF id, org_id, slug, name, created_at, switches ON teams BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER teams_access_removed AFTER DELETE ON teams BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER orgs_access_changed AFTER UPDATE OF id, slug, name, suspended_at ON orgs BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER orgs_access_removed AFTER DELETE ON orgs BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER job_workers_access_changed AFTER UPDATE OF id, org_id, name, token_id, retired_at ON job_workers BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;

CREATE TRIGGER job_workers_access_removed AFTER DELETE ON job_workers BEGIN
    UPDATE access_version SET version = hex(randomblob(16));
END;
