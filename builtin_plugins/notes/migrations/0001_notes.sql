-- `size` is the body in bytes of UTF-8. The body stands last: what only needs the rest never reads it.
CREATE TABLE notes (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    owner_id $ID NOT NULL REFERENCES users (id),
    visibility TEXT NOT NULL CHECK (visibility IN ('private', 'team')),
    revision BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    size BIGINT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL
);

CREATE INDEX notes_of_team ON notes (team_id, visibility, id);

CREATE INDEX notes_of_owner ON notes (owner_id, team_id, id);

CREATE INDEX notes_of_org ON notes (org_id, visibility, id);

CREATE TABLE note_shares (
    note_id $ID NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
    user_id $ID NOT NULL REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    permission TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (note_id, user_id)
);

CREATE INDEX note_shares_of_user ON note_shares (user_id, org_id, note_id);
