-- The server processes that share this database, each renewing its row for as long as it lives; host and pid are
-- for people. On SQLite there is one, and no row.
CREATE TABLE processes (
    id $ID PRIMARY KEY,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL
);

-- Which process runs the job itself; none for a worker's.
ALTER TABLE jobs ADD COLUMN process_id $ID;
