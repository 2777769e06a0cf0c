-- What was deleted stays behind as a marker: a list of what is there must not walk past all of it.
DROP INDEX objects_of_team;

DROP INDEX objects_of_owner;

DROP INDEX objects_of_org;

DROP INDEX documents_of_team;

DROP INDEX documents_of_owner;

CREATE INDEX objects_of_team ON objects (team_id, visibility, present, key, id);

CREATE INDEX objects_of_owner ON objects (owner_id, team_id, present, key, id);

CREATE INDEX objects_of_org ON objects (org_id, visibility, present, key, id);

CREATE INDEX documents_of_team ON objects (team_id, visibility, id) WHERE document = 1 AND present = 1;

CREATE INDEX documents_of_owner ON objects (owner_id, team_id, id) WHERE document = 1 AND present = 1;

CREATE INDEX object_grants_by_object ON object_grants (principal_id, object_id);

-- One plan serves every team: what belongs to one of them, or to a person, is to be found by the index that
-- names it, however few teams there are.
ALTER TABLE objects ALTER COLUMN team_id SET (n_distinct = -0.05);

ALTER TABLE objects ALTER COLUMN owner_id SET (n_distinct = -0.05);

ALTER TABLE object_grants ALTER COLUMN principal_id SET (n_distinct = -0.05);
