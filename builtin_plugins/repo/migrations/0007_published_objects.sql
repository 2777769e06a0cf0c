CREATE VIEW published_objects AS
SELECT id, org_id, team_id, owner_id, key, visibility, newest_id AS version_id, text_status, created_at, updated_at
FROM objects
WHERE present = 1;
