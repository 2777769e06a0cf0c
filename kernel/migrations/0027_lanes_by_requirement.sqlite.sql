-- A team has a lane for each thing that its waiting jobs need, and one ('') for those that need
-- nothing: a claim walks along those alone whose jobs it may have. Its lanes of one pool share their virtual time.
CREATE TABLE job_lanes_by_requirement (
    pool $ID NOT NULL,
    team_id $ID NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES job_companies (org_id) ON DELETE CASCADE,
    vtime DOUBLE PRECISION NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    held INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
    requirement $ID NOT NULL DEFAULT '',
    PRIMARY KEY (pool, team_id, requirement)
);

INSERT INTO job_lanes_by_requirement (pool, team_id, org_id, vtime, active, held)
SELECT pool, team_id, org_id, vtime, active, held FROM job_lanes;

DROP TABLE job_lanes;

ALTER TABLE job_lanes_by_requirement RENAME TO job_lanes;

INSERT INTO job_lanes (pool, team_id, org_id, vtime, active, held, requirement)
SELECT DISTINCT lane.pool, lane.team_id, lane.org_id, lane.vtime, 1, lane.held, jobs.requirement
FROM job_lanes AS lane
JOIN jobs ON jobs.state = 'queued' AND jobs.pool = lane.pool AND jobs.team_id = lane.team_id
WHERE jobs.requirement <> '';

-- Along which whoever takes any job walks. Its last condition keeps the planner from walking along it for one
-- requirement, past all others.
CREATE INDEX job_lanes_in_turn ON job_lanes (pool, vtime, team_id, requirement)
    WHERE active = 1 AND held = 0 AND requirement >= '';

CREATE INDEX job_lanes_in_turn_for ON job_lanes (pool, requirement, vtime, team_id) WHERE active = 1 AND held = 0;

CREATE INDEX job_lanes_by_time ON job_lanes (pool, vtime);

CREATE INDEX job_lanes_of_company ON job_lanes (org_id, team_id, pool);

-- Upkeep looks at those that are held, and whether any is.
CREATE INDEX job_lanes_held ON job_lanes (org_id, team_id, pool) WHERE held = 1;
