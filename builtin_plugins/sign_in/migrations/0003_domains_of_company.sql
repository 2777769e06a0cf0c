-- A company looks at the domains that it claims; one that an operator took from it stands there until it lets go.
CREATE INDEX sign_in_domains_of_company ON sign_in_domains (org_id, domain, way_id);

ALTER TABLE sign_in_domains ADD COLUMN released_at BIGINT;
