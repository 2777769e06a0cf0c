-- What people were told, in their inbox. `team_id` is the team to open `link` in, where they are a member of it; the
-- notification goes with the membership. `once` is what makes a second one of the same kind needless; `params` is JSON.
CREATE TABLE notifications (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID,
    user_id $ID NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    params TEXT NOT NULL,
    link TEXT NOT NULL,
    once TEXT,
    created_at BIGINT NOT NULL,
    read_at BIGINT,
    FOREIGN KEY (team_id, user_id) REFERENCES memberships (team_id, user_id) ON DELETE CASCADE
);

CREATE INDEX notifications_of_person ON notifications (user_id, id);

CREATE INDEX notifications_unread ON notifications (user_id, id) WHERE read_at IS NULL;

CREATE INDEX notifications_of_membership ON notifications (team_id, user_id) WHERE team_id IS NOT NULL;

CREATE UNIQUE INDEX notifications_once ON notifications (user_id, kind, once) WHERE once IS NOT NULL;

-- What a person chose for a kind, where it is another than the kind has.
CREATE TABLE notification_settings (
    org_id $ID NOT NULL REFERENCES orgs (id),
    user_id $ID NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL,
    mail TEXT NOT NULL CHECK (mail IN ('at_once', 'daily', 'never')),
    push INTEGER NOT NULL CHECK (push IN (0, 1)),
    PRIMARY KEY (user_id, kind)
);
