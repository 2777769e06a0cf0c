-- Letters: those that wait, and what became of the others. What a letter says is sealed elsewhere, and gone once it is
-- sent. `due_at` is when it is tried next; who tries it moves it on, so that it is tried again where they die.
CREATE TABLE mails (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    user_id $ID REFERENCES users (id),
    name TEXT NOT NULL,
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    urgent INTEGER NOT NULL CHECK (urgent IN (0, 1)),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'refused', 'failed', 'expired', 'held_back')),
    attempts INTEGER NOT NULL,
    due_at BIGINT,
    expires_at BIGINT,
    error TEXT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);

CREATE INDEX mails_due ON mails (due_at) WHERE state = 'waiting';

CREATE INDEX mails_by_address ON mails (address_key, created_at);

CREATE INDEX mails_by_person ON mails (user_id, created_at);

-- Who forgot a password, as they were named: sealed, and looked up behind the answer, which is the same for all.
CREATE TABLE mail_reset_requests (
    id $ID PRIMARY KEY,
    sealed TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- What the next daily letter of a person says; `line` is JSON.
CREATE TABLE mail_digest_lines (
    notification_id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    user_id $ID NOT NULL REFERENCES users (id),
    line TEXT NOT NULL,
    due_at BIGINT NOT NULL
);

CREATE INDEX mail_digest_lines_due ON mail_digest_lines (due_at, user_id);

CREATE INDEX mail_digest_lines_of_person ON mail_digest_lines (user_id, notification_id);
