-- What the last start found of each plugin: for `guildhall plugin list` and `doctor`. `proof` is the digest of the
-- statements and schemas that were found right, so that the next start need not look at them again.
CREATE TABLE plugin_records (
    id $ID PRIMARY KEY,
    version TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    proof TEXT
);

-- Which tables and views the migrations of each plugin made: for `guildhall plugin purge`.
CREATE TABLE schema_objects (
    owner $ID NOT NULL,
    kind TEXT NOT NULL,
    name $ID NOT NULL,
    PRIMARY KEY (owner, kind, name)
);
