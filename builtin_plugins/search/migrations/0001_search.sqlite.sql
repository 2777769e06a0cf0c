-- `excerpt` is the beginning of the text on one line, to show where a hit is. An id is never used twice.
CREATE TABLE search_documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type $ID NOT NULL,
    ref_id $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    title TEXT NOT NULL,
    excerpt TEXT NOT NULL,
    UNIQUE (type, ref_id)
);

-- The words are folded and cut before they come here; `ascii` takes all that is not ASCII for letters.
-- Six characters are a company's mark and the shortest beginning that can be asked for.
CREATE VIRTUAL TABLE search_words USING fts5 (
    title, often, body, tokenize = 'ascii', columnsize = 0, prefix = '6'
);

-- How far the index has come with what was there before it.
CREATE TABLE search_progress (
    type $ID PRIMARY KEY,
    after_id $ID NOT NULL,
    done INTEGER NOT NULL
);
