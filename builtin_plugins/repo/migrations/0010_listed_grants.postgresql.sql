-- 0 where what was given is not to be seen for now: its object was deleted, or is private. A list of what somebody was
-- given does not walk past all of it. The object still decides; a server of the version before goes on without it.
ALTER TABLE object_grants ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;

UPDATE object_grants SET listed = 0
WHERE EXISTS (
    SELECT 1 FROM objects
    WHERE objects.id = object_grants.object_id AND (objects.present = 0 OR objects.visibility = 'private')
);

DROP INDEX object_grants_of_principal;

CREATE INDEX object_grants_of_principal ON object_grants (principal_id, listed, key, object_id);

DROP INDEX object_grants_by_object;

CREATE INDEX object_grants_by_object ON object_grants (principal_id, object_id) WHERE listed = 1;

CREATE OR REPLACE FUNCTION object_grants_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE object_grants SET listed = CAST(new.present = 1 AND new.visibility <> 'private' AS INTEGER)
    WHERE object_id = new.id;
    RETURN NULL;
END $$;

CREATE TRIGGER object_grants_follow AFTER UPDATE OF present, visibility ON objects
FOR EACH ROW
WHEN ((old.present = 1 AND old.visibility <> 'private') <> (new.present = 1 AND new.visibility <> 'private'))
EXECUTE FUNCTION object_grants_follow();
