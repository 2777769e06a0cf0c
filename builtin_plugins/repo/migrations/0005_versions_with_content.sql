-- Whether an object has any content, and what, is asked at every write: not past all its delete markers.
CREATE INDEX object_versions_with_content ON object_versions (object_id, number) WHERE marker = 0;
