-- What jobs said while they ran, for those who follow them; it goes with the job. The attempt is the one that
-- said it: an earlier one that still runs adds nothing behind it.
CREATE TABLE job_events (
    job_id $ID NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    team_id $ID NOT NULL REFERENCES teams (id),
    attempt INTEGER NOT NULL,
    event TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (job_id, number)
);
