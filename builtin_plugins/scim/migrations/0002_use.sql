-- How a token begins, by which people tell theirs apart, and about when it was used last.
ALTER TABLE scim_tokens ADD COLUMN prefix TEXT;

ALTER TABLE scim_tokens ADD COLUMN last_used_at BIGINT;
