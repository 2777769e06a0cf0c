-- One row for each team that has a glossary: its version changes with every term, so that what was made of the
-- terms can be used again until then.
CREATE TABLE glossaries (
    team_id $ID PRIMARY KEY REFERENCES teams (id),
    version BIGINT NOT NULL,
    terms BIGINT NOT NULL
);

-- `term_key` is the term as terms are compared: without case, width and invisible characters.
CREATE TABLE glossary_terms (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    target $ID NOT NULL,
    term_key $ID NOT NULL,
    term TEXT NOT NULL,
    translation TEXT NOT NULL,
    note TEXT,
    updated_by $ID NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (team_id, target, term_key)
);

CREATE INDEX glossary_terms_of_team ON glossary_terms (team_id, id);

CREATE INDEX glossary_terms_of_target ON glossary_terms (team_id, target, id);

-- `credential_id` is what the translation was asked for with; `size` is both texts in bytes of UTF-8.
-- The texts stand last: what only needs the rest never reads them.
CREATE TABLE translations (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    user_id $ID NOT NULL REFERENCES users (id),
    credential_id $ID NOT NULL,
    source $ID,
    target $ID NOT NULL,
    model TEXT NOT NULL,
    simulated INTEGER NOT NULL,
    untranslated INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    size BIGINT NOT NULL,
    terms TEXT NOT NULL,
    source_text TEXT NOT NULL,
    text TEXT NOT NULL
);

CREATE INDEX translations_of_team ON translations (team_id, id);

CREATE INDEX translations_of_user ON translations (team_id, user_id, id);
