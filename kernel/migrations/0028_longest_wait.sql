-- How long the longest waiting job has waited is read at one end of this.
CREATE INDEX jobs_ready_since ON jobs (run_at) WHERE state = 'queued';
