CREATE INDEX oauth_grants_of_company ON oauth_grants (org_id, id);
