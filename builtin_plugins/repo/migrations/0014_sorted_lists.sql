-- The size of the newest version, where lists are sorted by it.
ALTER TABLE objects ADD COLUMN size BIGINT NOT NULL DEFAULT 0;

UPDATE objects
SET size = COALESCE((SELECT versions.size FROM object_versions AS versions WHERE versions.id = objects.newest_id), 0);

CREATE INDEX objects_changed_of_team ON objects (team_id, visibility, present, updated_at, id);

CREATE INDEX objects_changed_of_org ON objects (org_id, visibility, present, updated_at, id);

CREATE INDEX objects_changed_of_owner ON objects (owner_id, team_id, present, updated_at, id) WHERE visibility <> 'team';

CREATE INDEX objects_sized_of_team ON objects (team_id, visibility, present, size, id);

CREATE INDEX objects_sized_of_org ON objects (org_id, visibility, present, size, id);

CREATE INDEX objects_sized_of_owner ON objects (owner_id, team_id, present, size, id) WHERE visibility <> 'team';
