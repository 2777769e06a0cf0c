-- What plugins may read of companies, teams and people: see docs/plugins/views.md. A column that stands here
-- stays. Each is a bare projection, so that either database reads the table below it as if it were named.
CREATE VIEW published_companies AS
SELECT id, slug, name, domain, suspended_at, created_at FROM orgs;

CREATE VIEW published_teams AS
SELECT id, org_id, slug, name, created_at FROM teams;

CREATE VIEW published_people AS
SELECT id, org_id, username, display_name, locale, operator, org_role, created_at FROM users;

CREATE VIEW published_memberships AS
SELECT team_id, user_id, role, created_at FROM memberships;
