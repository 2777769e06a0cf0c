-- A passkey is found by a digest of its id, which may have a thousand bytes. `verifies` says that it asked for a PIN, a
-- finger or a face when it was made: such a one signs in by itself.
CREATE TABLE passkeys (
    id $ID PRIMARY KEY,
    user_id $ID NOT NULL REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    credential_hash $ID NOT NULL UNIQUE,
    credential_id TEXT NOT NULL,
    public_key TEXT NOT NULL,
    sign_count BIGINT NOT NULL,
    transports TEXT NOT NULL,
    verifies INTEGER NOT NULL CHECK (verifies IN (0, 1)),
    synced INTEGER NOT NULL CHECK (synced IN (0, 1)),
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT
);

CREATE INDEX passkeys_of_person ON passkeys (user_id, id);

-- Challenges that were answered, until they would have lapsed anyway.
CREATE TABLE passkey_answers (
    challenge $ID PRIMARY KEY,
    until BIGINT NOT NULL
);

CREATE INDEX passkey_answers_by_time ON passkey_answers (until);
