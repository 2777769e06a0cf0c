-- A key that was made with an API token ends with it, and at the latest when the token would.
ALTER TABLE s3_keys ADD COLUMN expires_at BIGINT;

ALTER TABLE s3_keys ADD COLUMN made_with $ID REFERENCES credentials (id) ON DELETE CASCADE;

CREATE INDEX s3_keys_by_maker ON s3_keys (made_with) WHERE made_with IS NOT NULL;
