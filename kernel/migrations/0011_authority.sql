-- What an API token made goes when the token does; a session's own tokens stand for themselves. `began_at` is
-- when the person signed in: a session that another one made has that one's.
ALTER TABLE credentials ADD COLUMN made_with $ID REFERENCES credentials (id) ON DELETE CASCADE;

ALTER TABLE credentials ADD COLUMN began_at BIGINT;

ALTER TABLE credentials ADD COLUMN last_used_at BIGINT;

ALTER TABLE credentials ADD COLUMN address TEXT;

ALTER TABLE credentials ADD COLUMN agent TEXT;

CREATE INDEX credentials_by_maker ON credentials (made_with) WHERE made_with IS NOT NULL;

-- The credential that asked for a job: one with a scope sees and cancels its own alone.
ALTER TABLE jobs ADD COLUMN asked_with $ID;
