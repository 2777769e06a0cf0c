-- What somebody did, and what was done to something, without looking at everything else. On PostgreSQL each month has
-- indexes of its own, by those of the whole.
CREATE INDEX audit_events_of_actor ON audit_events (org_id, actor_id, id);

CREATE INDEX audit_events_of_target ON audit_events (org_id, target_id, id);
