-- Those that are old enough to be thrown away, the oldest first.
CREATE INDEX executors_retired ON executors (retired_at, id) WHERE retired_at IS NOT NULL;
