-- What is old enough to be thrown away, the oldest first.
CREATE INDEX ai_usage_by_time ON ai_usage (at);
