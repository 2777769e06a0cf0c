-- Moves with whatever changes who may do what: a caller who was read under one version is who they were for as long as
-- it stands, in every process. Dates of use move nothing. Nor does a new row, but for a membership: nobody was read with
-- it before.
CREATE TABLE access_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version TEXT NOT NULL
);

INSERT INTO access_version (id, version) VALUES (1, 'first');

-- At the commit, as the last lock that a transaction takes: so nobody waits in a ring. Once for each transaction.
CREATE OR REPLACE FUNCTION move_access_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE access_version SET version = txid_current() || ' ' || clock_timestamp()
    WHERE version NOT LIKE txid_current() || ' %';
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER credentials_access AFTER DELETE
OR UPDATE OF id, kind, secret_hash, user_id, team_id, scope, made_with, began_at, created_at, expires_at
ON credentials DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();

CREATE CONSTRAINT TRIGGER memberships_access AFTER INSERT OR DELETE
OR UPDATE OF team_id, user_id, role, created_at
ON memberships DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();

CREATE CONSTRAINT TRIGGER users_access AFTER DELETE
OR UPDATE OF id, username, display_name, locale, two_factor, operator, org_role, suspended_at
ON users DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();

CREATE CONSTRAINT TRIGGER teams_access AFTER DELETE
OR UPDATE OF id, org_id, slug, name, created_at, switches
ON teams DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();

CREATE CONSTRAINT TRIGGER orgs_access AFTER DELETE
OR UPDATE OF id, slug, name, suspended_at
ON orgs DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();

CREATE CONSTRAINT TRIGGER job_workers_access AFTER DELETE
OR UPDATE OF id, org_id, name, token_id, retired_at
ON job_workers DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();
