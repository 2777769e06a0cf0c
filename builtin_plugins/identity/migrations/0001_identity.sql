-- `last_step` is the newest TOTP step that was used: a code works once.
CREATE TABLE two_factor (
    user_id $ID PRIMARY KEY REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    last_step BIGINT NOT NULL,
    enabled_at BIGINT NOT NULL
);

CREATE TABLE recovery_codes (
    user_id $ID NOT NULL REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    code_hash $ID NOT NULL,
    PRIMARY KEY (user_id, code_hash)
);

-- An account is a keyed hash of the username as typed, which may be nobody's, or a password by mistake.
CREATE TABLE login_failures (
    id $ID PRIMARY KEY,
    account $ID NOT NULL,
    address $ID NOT NULL,
    at BIGINT NOT NULL,
    forgiven INTEGER NOT NULL
);

CREATE INDEX login_failures_by_pair ON login_failures (account, address, at);

CREATE INDEX login_failures_by_account ON login_failures (account, at);

CREATE INDEX login_failures_by_address ON login_failures (address, at);

CREATE INDEX login_failures_by_time ON login_failures (at);
