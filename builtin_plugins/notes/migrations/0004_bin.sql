-- What is deleted lies in a bin for a while. `version` is that of the text as it is now, made then and by whom; those
-- before are in `note_versions`. `tags` is JSON; `title_key` is the title as it is sorted.
ALTER TABLE notes ADD COLUMN deleted_at BIGINT;

ALTER TABLE notes ADD COLUMN deleted_by $ID REFERENCES users (id);

ALTER TABLE notes ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

ALTER TABLE notes ADD COLUMN version_at BIGINT NOT NULL DEFAULT 0;

ALTER TABLE notes ADD COLUMN version_by $ID REFERENCES users (id);

ALTER TABLE notes ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';

ALTER TABLE notes ADD COLUMN title_key $ID NOT NULL DEFAULT '';

UPDATE notes SET version_at = updated_at, version_by = owner_id, title_key = LOWER(SUBSTR(title, 1, 60));

CREATE TABLE note_versions (
    note_id $ID NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    created_at BIGINT NOT NULL,
    created_by $ID NOT NULL REFERENCES users (id),
    size BIGINT NOT NULL,
    title TEXT NOT NULL,
    tags TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (note_id, number)
);

-- `tag` is as tags are compared: without case.
CREATE TABLE note_tags (
    note_id $ID NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    tag $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    PRIMARY KEY (note_id, tag)
);

CREATE INDEX note_tags_of_org ON note_tags (org_id, tag, note_id);

-- Lists walk past nothing that lies in the bin, and the bin past nothing that does not.
DROP INDEX notes_of_team;

DROP INDEX notes_of_owner;

DROP INDEX notes_of_org;

CREATE INDEX notes_of_team ON notes (team_id, visibility, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_of_owner ON notes (owner_id, team_id, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_of_org ON notes (org_id, visibility, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_changed_of_team ON notes (team_id, visibility, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_changed_of_owner ON notes (owner_id, team_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_changed_of_org ON notes (org_id, visibility, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_named_of_team ON notes (team_id, visibility, title_key, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_named_of_owner ON notes (owner_id, team_id, title_key, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_named_of_org ON notes (org_id, visibility, title_key, id) WHERE deleted_at IS NULL;

CREATE INDEX notes_in_bin_of_team ON notes (team_id, visibility, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX notes_in_bin_of_owner ON notes (owner_id, team_id, deleted_at, id) WHERE deleted_at IS NOT NULL;

CREATE INDEX notes_in_bin ON notes (deleted_at, id) WHERE deleted_at IS NOT NULL;
