-- Bytes that are few enough to live beside what refers to them: they come and go in its transaction, and are
-- never on their way.
CREATE TABLE small_blobs (
    org_id $ID NOT NULL REFERENCES orgs (id),
    sha256 $ID NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (org_id, sha256)
);

-- What people upload is mostly compressed already, or not worth the time.
ALTER TABLE small_blobs ALTER COLUMN content SET STORAGE EXTERNAL;
