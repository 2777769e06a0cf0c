CREATE INDEX oauth_tokens_of_access ON oauth_tokens (access_id);
