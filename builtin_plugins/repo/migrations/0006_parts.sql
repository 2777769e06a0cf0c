-- What a version was put together from, counted from 1; `start` is where a part begins in it.
CREATE TABLE object_parts (
    version_id $ID NOT NULL REFERENCES object_versions (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    number INTEGER NOT NULL,
    start BIGINT NOT NULL,
    size BIGINT NOT NULL,
    checksum TEXT,
    PRIMARY KEY (version_id, number)
);
