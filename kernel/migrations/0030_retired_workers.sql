-- Workers that were retired long ago are found at one end of this, and go.
CREATE INDEX job_workers_retired ON job_workers (retired_at) WHERE retired_at IS NOT NULL;
