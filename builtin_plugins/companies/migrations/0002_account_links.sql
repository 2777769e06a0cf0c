-- The links by which people let themselves in: one of each kind for a person, and a new one takes the place of the
-- one before. Of a token only a hash is kept, until it is spent. `made_with` is the API token that made it: the
-- link holds no longer than that.
CREATE TABLE account_links (
    user_id $ID NOT NULL REFERENCES users (id),
    kind TEXT NOT NULL CHECK (kind IN ('invitation', 'reset')),
    org_id $ID NOT NULL REFERENCES orgs (id),
    token_hash $ID NOT NULL UNIQUE,
    made_with $ID,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, kind)
);

INSERT INTO account_links (user_id, kind, org_id, token_hash, created_at, expires_at)
SELECT user_id, 'invitation', org_id, activation_hash, created_at, activation_expires_at
FROM hosted_tenant WHERE activation_hash IS NOT NULL;
