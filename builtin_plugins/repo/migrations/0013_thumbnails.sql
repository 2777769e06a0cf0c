-- Small pictures of newest versions, in WebP; without a byte where none could be drawn. They go with their version.
CREATE TABLE thumbnails (
    object_id $ID NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    size INTEGER NOT NULL,
    version_id $ID NOT NULL REFERENCES object_versions (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    content BYTEA NOT NULL,
    PRIMARY KEY (object_id, size)
);

CREATE INDEX thumbnails_of_version ON thumbnails (version_id);
