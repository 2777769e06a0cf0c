-- `excerpt` is the beginning of the text on one line, to show where a hit is. An id is never used twice.
-- `often_words` holds the title's too. The long `words` are read from the index alone, but for phrases.
CREATE TABLE search_documents (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    type $ID NOT NULL,
    ref_id $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    title TEXT NOT NULL,
    title_words TSVECTOR NOT NULL,
    often_words TSVECTOR NOT NULL,
    words TSVECTOR NOT NULL,
    excerpt TEXT NOT NULL,
    UNIQUE (type, ref_id)
);

CREATE INDEX search_documents_words ON search_documents USING gin (words);

-- How far the index has come with what was there before it.
CREATE TABLE search_progress (
    type $ID PRIMARY KEY,
    after_id $ID NOT NULL,
    done INTEGER NOT NULL
);
