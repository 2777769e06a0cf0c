-- What the person's password was when they allowed it, as a digest of its hash: another password ends what came of it.
ALTER TABLE oauth_grants ADD COLUMN stamp TEXT;
