-- A suspended person is let in by nothing they hold; one who was removed belongs to no team and has no password,
-- and what they made keeps their name. A deleted team has nobody in it; what happened there is kept.
ALTER TABLE users ADD COLUMN suspended_at BIGINT;

ALTER TABLE users ADD COLUMN removed_at BIGINT;

ALTER TABLE users ADD COLUMN last_seen_at BIGINT;

ALTER TABLE teams ADD COLUMN deleted_at BIGINT;
