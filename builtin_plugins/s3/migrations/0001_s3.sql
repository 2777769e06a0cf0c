-- Access keys: each of one person in one team, and gone with that membership. The secret is in the vault.
CREATE TABLE s3_keys (
    id $ID PRIMARY KEY,
    access_key_id $ID NOT NULL UNIQUE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL,
    user_id $ID NOT NULL,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    FOREIGN KEY (team_id, user_id) REFERENCES memberships (team_id, user_id) ON DELETE CASCADE
);

CREATE INDEX s3_keys_of_member ON s3_keys (team_id, user_id, id);

-- Uploads in parts. `described` is JSON: what the object will say of itself. `counted` is what the parts
-- take of the team's storage. `ended` is 1 when it was completed or aborted; `held` is 0 when its bytes
-- have been let go. A completed one is remembered for a day by its version, for whoever asks again.
CREATE TABLE s3_uploads (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    user_id $ID NOT NULL REFERENCES users (id),
    key $ID NOT NULL,
    described TEXT NOT NULL,
    counted BIGINT NOT NULL,
    ended INTEGER NOT NULL,
    held INTEGER NOT NULL,
    version_id $ID,
    etag TEXT,
    checksum TEXT,
    created_at BIGINT NOT NULL,
    touched_at BIGINT NOT NULL
);

CREATE INDEX s3_uploads_by_key ON s3_uploads (team_id, user_id, key, id);

CREATE INDEX s3_uploads_by_age ON s3_uploads (touched_at);

CREATE TABLE s3_parts (
    upload_id $ID NOT NULL REFERENCES s3_uploads (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    number INTEGER NOT NULL,
    sha256 $ID NOT NULL,
    size BIGINT NOT NULL,
    md5 TEXT NOT NULL,
    checksum TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (upload_id, number)
);
