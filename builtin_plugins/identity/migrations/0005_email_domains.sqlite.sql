CREATE INDEX person_emails_by_domain ON person_emails (substr(address_key, instr(address_key, '@') + 1));

CREATE VIEW published_email_domains AS
SELECT user_id, org_id, substr(address_key, instr(address_key, '@') + 1) AS domain FROM person_emails WHERE proven = 1 AND address_key IS NOT NULL;
