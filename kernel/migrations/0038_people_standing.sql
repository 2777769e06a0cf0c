-- Who is suspended or has left, and which teams were deleted, for plugins: see docs/plugins/views.md.
DROP VIEW published_people;

CREATE VIEW published_people AS
SELECT id, org_id, username, display_name, locale, operator, org_role, created_at, suspended_at, removed_at FROM users;

DROP VIEW published_teams;

CREATE VIEW published_teams AS
SELECT id, org_id, slug, name, created_at, deleted_at FROM teams;
