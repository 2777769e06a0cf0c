-- When a company claimed a domain, and when an operator confirmed that it is theirs.
ALTER TABLE sign_in_domains ADD COLUMN claimed_at BIGINT NOT NULL DEFAULT 0;

ALTER TABLE sign_in_domains ADD COLUMN confirmed_at BIGINT;

UPDATE sign_in_domains SET claimed_at = (
    SELECT ways.created_at FROM sign_in_ways AS ways WHERE ways.id = sign_in_domains.way_id
);
