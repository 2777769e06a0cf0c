-- A version that is not the newest any more: in whose bucket, and since when. Null for the newest.
ALTER TABLE object_versions ADD COLUMN old_in $ID;

ALTER TABLE object_versions ADD COLUMN old_since BIGINT;

-- 1 where nothing but delete markers is left.
ALTER TABLE objects ADD COLUMN vacant INTEGER NOT NULL DEFAULT 0;

UPDATE object_versions
SET old_in = (SELECT objects.team_id FROM objects WHERE objects.id = object_versions.object_id),
    old_since = COALESCE(
        (
            SELECT newer.created_at FROM object_versions AS newer
            WHERE newer.object_id = object_versions.object_id AND newer.number > object_versions.number
            ORDER BY newer.number LIMIT 1
        ),
        object_versions.created_at
    )
WHERE EXISTS (
    SELECT 1 FROM objects
    WHERE objects.id = object_versions.object_id AND objects.newest_id <> object_versions.id
);

UPDATE objects SET vacant = 1
WHERE present = 0
    AND NOT EXISTS (SELECT 1 FROM object_versions WHERE object_versions.object_id = objects.id AND object_versions.marker = 0);

CREATE INDEX object_versions_old ON object_versions (old_in, old_since, id) WHERE old_in IS NOT NULL;

-- What can be brought back, in the order of a list and by its age; and what hides nothing.
CREATE INDEX objects_deleted_of_team ON objects (team_id, visibility, key, id) WHERE present = 0 AND vacant = 0;

CREATE INDEX objects_deleted_of_owner ON objects (owner_id, team_id, key, id) WHERE present = 0 AND vacant = 0;

CREATE INDEX objects_deleted_by_age ON objects (team_id, updated_at, id) WHERE present = 0 AND vacant = 0;

CREATE INDEX objects_vacant ON objects (team_id, key, id) WHERE vacant = 1;

CREATE INDEX derivations_by_source_version ON derivations (source_id, source_number);

-- The rules of a team, as JSON, and from when on they hold. A look goes portion by portion: what is next (`stage`,
-- and behind which row), when it is due, and until when one process has it to itself. In the end, what went so far.
CREATE TABLE repo_lifecycles (
    team_id $ID PRIMARY KEY REFERENCES teams (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    set_by $ID NOT NULL REFERENCES users (id),
    rules TEXT NOT NULL,
    holds_from BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    stage TEXT NOT NULL,
    after_time BIGINT NOT NULL,
    after_name $ID NOT NULL,
    due_at BIGINT NOT NULL,
    held_until BIGINT NOT NULL,
    versions BIGINT NOT NULL,
    bytes BIGINT NOT NULL
);

CREATE INDEX repo_lifecycles_due ON repo_lifecycles (due_at, held_until);
