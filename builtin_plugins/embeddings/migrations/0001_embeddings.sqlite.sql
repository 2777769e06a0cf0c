-- A space is what one model's vectors lie in: no two of different models can be compared. `mean` and `floor` are of
-- texts that have nothing to do with each other: what is no nearer than they are says nothing.
CREATE TABLE embedding_spaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model $ID NOT NULL UNIQUE,
    executor TEXT,
    dimensions INTEGER NOT NULL,
    mean BLOB NOT NULL,
    floor DOUBLE PRECISION NOT NULL
);

-- The passages of documents, each with a vector in eight bits a number. While a document is read, `build` is the
-- token of that, and the passage is not found; an id is never used twice, and those of a company come in order.
CREATE TABLE embedding_passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    space_id INTEGER NOT NULL REFERENCES embedding_spaces (id),
    type $ID NOT NULL,
    ref_id $ID NOT NULL,
    ordinal INTEGER NOT NULL,
    build $ID,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    heading TEXT,
    page INTEGER,
    sheet TEXT,
    line INTEGER,
    code BLOB NOT NULL,
    vector BLOB NOT NULL
);

CREATE INDEX embedding_passages_of_document ON embedding_passages (type, ref_id, ordinal);
CREATE INDEX embedding_passages_of_space ON embedding_passages (org_id, space_id, id);
CREATE INDEX embedding_passages_of_team ON embedding_passages (team_id, space_id, id);

-- Which spaces a team has passages in: one, but for the time in which another model's are made.
CREATE TABLE embedding_team_spaces (
    team_id $ID NOT NULL REFERENCES teams (id),
    space_id INTEGER NOT NULL REFERENCES embedding_spaces (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    PRIMARY KEY (team_id, space_id)
);

CREATE INDEX embedding_team_spaces_of_org ON embedding_team_spaces (org_id, space_id);

-- What is to be read. Its passages of before are not found: the text is another one. `token` changes with the text.
CREATE TABLE embedding_queue (
    type $ID NOT NULL,
    ref_id $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    token $ID NOT NULL,
    due_at BIGINT NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (type, ref_id)
);

CREATE INDEX embedding_queue_due ON embedding_queue (team_id, due_at, org_id);

-- How far the documents have been queued that were there before.
CREATE TABLE embedding_progress (
    type $ID PRIMARY KEY,
    after_id $ID NOT NULL,
    done INTEGER NOT NULL
);
