CREATE VIEW published_notifications AS
SELECT id, org_id, user_id, kind, created_at, read_at FROM notifications;
