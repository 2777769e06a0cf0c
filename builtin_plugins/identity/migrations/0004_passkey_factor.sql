-- A second factor that an authenticator app has no part in: passkeys answer for it, and recovery codes.
ALTER TABLE two_factor ADD COLUMN by_passkeys INTEGER NOT NULL DEFAULT 0;

CREATE VIEW published_passkey_factors AS
SELECT user_id, org_id FROM two_factor WHERE by_passkeys = 1;
