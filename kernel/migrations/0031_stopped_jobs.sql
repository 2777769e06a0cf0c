-- Somebody stops the job: whoever runs it ends it, and it is not tried again.
ALTER TABLE jobs ADD COLUMN stop_requested INTEGER NOT NULL DEFAULT 0 CHECK (stop_requested IN (0, 1));
