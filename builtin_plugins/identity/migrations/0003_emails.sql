-- The address of a person. A proven one was confirmed by them, or given by who manages them; `pending` is to take its
-- place once the link that was mailed there comes back: of its token only a hash is kept.
CREATE TABLE person_emails (
    user_id $ID PRIMARY KEY REFERENCES users (id),
    org_id $ID NOT NULL REFERENCES orgs (id),
    address TEXT,
    address_key TEXT,
    proven INTEGER NOT NULL CHECK (proven IN (0, 1)),
    pending TEXT,
    token_hash $ID,
    pending_until BIGINT
);

CREATE INDEX person_emails_by_address ON person_emails (address_key);

CREATE VIEW published_emails AS
SELECT user_id, org_id, address, proven FROM person_emails WHERE address IS NOT NULL;

-- Where somebody has signed in from: a keyed hash of the address and the program.
CREATE TABLE login_places (
    user_id $ID NOT NULL REFERENCES users (id),
    place $ID NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, place)
);
