-- Who saves as they type makes one version of some minutes: `autosaved` is 1 while the version that a note has may
-- still be written on in this way.
ALTER TABLE notes ADD COLUMN autosaved BIGINT NOT NULL DEFAULT 0;

-- Who writes in a note just now, until when unless they are heard of again.
CREATE TABLE note_editors (
    note_id $ID NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    user_id $ID NOT NULL REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    until BIGINT NOT NULL,
    PRIMARY KEY (note_id, user_id)
);
