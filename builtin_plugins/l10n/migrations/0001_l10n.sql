-- One row for the instance. `revision` changes with everything that changes what is served to screens.
CREATE TABLE l10n_policy (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    revision BIGINT NOT NULL,
    default_locale $ID NOT NULL,
    switching INTEGER NOT NULL
);

INSERT INTO l10n_policy (id, revision, default_locale, switching) VALUES (1, 1, 'en', 1);

-- The languages that are translated here: those whose files were imported, and those that were opened.
CREATE TABLE l10n_locales (
    code $ID PRIMARY KEY,
    opened_at BIGINT NOT NULL
);

-- A message of a language. `source` is the English text as it is now. `previous_source` is the one that the text
-- was made for, from a change that made it stale until its next approval: while it is there, `approved_text`
-- translates what the source was. `approved_text` is what screens are served, also while a newer text waits for
-- its review. `origin` says who wrote `text`: `file`, `machine` or `human`. `version` counts the changes.
-- The status `gone` is that of a key which the source has no more; `former_status` is what it comes back with.
CREATE TABLE l10n_messages (
    id $ID PRIMARY KEY,
    locale $ID NOT NULL,
    key $ID NOT NULL,
    ns $ID NOT NULL,
    status TEXT NOT NULL,
    former_status TEXT,
    origin TEXT,
    version BIGINT NOT NULL,
    submitted_by $ID REFERENCES users (id),
    reviewed_by $ID REFERENCES users (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    source TEXT NOT NULL,
    previous_source TEXT,
    text TEXT,
    approved_text TEXT,
    comment TEXT,
    problem TEXT,
    UNIQUE (locale, key)
);

CREATE INDEX l10n_messages_by_status ON l10n_messages (locale, status, key);

-- Who serves texts looks past the many that nobody has approved.
CREATE INDEX l10n_messages_approved ON l10n_messages (locale) WHERE approved_text IS NOT NULL;

-- What happened to a message: one row for each of its versions that changed its text or its status.
CREATE TABLE l10n_history (
    message_id $ID NOT NULL REFERENCES l10n_messages (id),
    version BIGINT NOT NULL,
    at BIGINT NOT NULL,
    action TEXT NOT NULL,
    user_id $ID REFERENCES users (id),
    text TEXT,
    comment TEXT,
    PRIMARY KEY (message_id, version)
);
