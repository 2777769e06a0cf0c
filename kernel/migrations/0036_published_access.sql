-- The version of access, for plugins that keep credentials and remember whose they are: see docs/plugins/views.md.
CREATE VIEW published_access AS
SELECT version FROM access_version;
