-- The trace that a job belongs to, a `traceparent` of W3C: that of the request or the job that asked for it.
ALTER TABLE jobs ADD COLUMN trace TEXT;
