-- Since when a person can come in by another way than a password: until then, and without one, they are invited.
ALTER TABLE users ADD COLUMN settled_at BIGINT;
