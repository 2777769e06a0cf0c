-- What stands at a key of a team's bucket. `newest_id` is its newest version, `present` is 0 while that is
-- a delete marker. `last_number` only grows: a number is never used twice.
CREATE TABLE objects (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    owner_id $ID NOT NULL REFERENCES users (id),
    key $ID NOT NULL,
    visibility TEXT NOT NULL CHECK (visibility IN ('private', 'shared', 'team')),
    revision BIGINT NOT NULL,
    last_number BIGINT NOT NULL,
    newest_id $ID NOT NULL,
    present INTEGER NOT NULL,
    document INTEGER NOT NULL,
    text_status TEXT NOT NULL CHECK (text_status IN ('none', 'pending', 'indexed', 'stale', 'unsupported')),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX objects_by_key ON objects (team_id, key);

CREATE INDEX objects_of_team ON objects (team_id, visibility, key, id);

CREATE INDEX objects_of_owner ON objects (owner_id, team_id, key, id);

CREATE INDEX objects_of_org ON objects (org_id, visibility, key, id);

CREATE INDEX documents_of_team ON objects (team_id, visibility, id) WHERE document = 1;

CREATE INDEX documents_of_owner ON objects (owner_id, team_id, id) WHERE document = 1;

CREATE INDEX objects_to_read ON objects (team_id, id) WHERE text_status IN ('pending', 'stale');

-- A delete marker has no bytes: its digest is empty. `attributes` is JSON of whoever wrote the version.
CREATE TABLE object_versions (
    id $ID PRIMARY KEY,
    object_id $ID NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    number BIGINT NOT NULL,
    marker INTEGER NOT NULL,
    sha256 $ID NOT NULL,
    size BIGINT NOT NULL,
    etag TEXT NOT NULL,
    content_type TEXT NOT NULL,
    filename TEXT NOT NULL,
    title TEXT,
    attributes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by $ID NOT NULL REFERENCES users (id)
);

CREATE UNIQUE INDEX object_versions_by_number ON object_versions (object_id, number);

CREATE INDEX object_versions_by_bytes ON object_versions (org_id, sha256);

-- The key stands here too, so that what somebody was given can be walked in its order.
CREATE TABLE object_grants (
    object_id $ID NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    principal_type TEXT NOT NULL CHECK (principal_type IN ('user', 'team')),
    principal_id $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    key $ID NOT NULL,
    capability TEXT NOT NULL CHECK (capability IN ('view', 'edit', 'manage')),
    granted_by $ID NOT NULL REFERENCES users (id),
    granted_at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (object_id, principal_id)
);

CREATE INDEX object_grants_of_principal ON object_grants (principal_id, key, object_id);

-- The text of the newest version that was read; `number` says which that is.
CREATE TABLE object_texts (
    object_id $ID PRIMARY KEY REFERENCES objects (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    number BIGINT NOT NULL,
    text TEXT NOT NULL
);

CREATE TABLE derivations (
    derived_id $ID NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    derived_number BIGINT NOT NULL,
    source_id $ID NOT NULL REFERENCES objects (id) ON DELETE CASCADE,
    source_number BIGINT NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    run_id $ID,
    step TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (derived_id, derived_number, source_id)
);

CREATE INDEX derivations_by_source ON derivations (source_id, derived_id);

-- Bytes that something other than a version stands on, such as the part of an upload.
CREATE TABLE blob_holds (
    org_id $ID NOT NULL REFERENCES orgs (id),
    holder $ID NOT NULL,
    sha256 $ID NOT NULL,
    PRIMARY KEY (org_id, holder, sha256)
);

CREATE INDEX blob_holds_by_bytes ON blob_holds (org_id, sha256);

-- Bytes that lost a reference. `deleted_at` is null until the store was told. Whoever names bytes that
-- stand here looks whether they are still kept; the row stays for a day to say so.
CREATE TABLE blob_releases (
    org_id $ID NOT NULL REFERENCES orgs (id),
    sha256 $ID NOT NULL,
    requested_at BIGINT NOT NULL,
    deleted_at BIGINT,
    PRIMARY KEY (org_id, sha256)
);

CREATE INDEX blob_releases_by_end ON blob_releases (deleted_at);

-- When the store was last searched for bytes that nothing refers to: one row.
CREATE TABLE blob_sweeps (
    name $ID PRIMARY KEY,
    swept_at BIGINT NOT NULL
);
