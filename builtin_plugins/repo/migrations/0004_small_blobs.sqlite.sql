-- Bytes that are few enough to live beside what refers to them: they come and go in its transaction, and are
-- never on their way. A table with row ids: it grows at its end, and only the index is in the order of digests.
CREATE TABLE small_blobs (
    org_id $ID NOT NULL REFERENCES orgs (id),
    sha256 $ID NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (org_id, sha256)
);
