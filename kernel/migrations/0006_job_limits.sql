-- What limits the jobs of a company: none begins while it is suspended; at most so many run at once (NULL is no
-- limit); and the weight is its share of a busy server. Whoever claims for the company holds its row.
CREATE TABLE job_companies (
    org_id $ID PRIMARY KEY REFERENCES orgs (id) ON DELETE CASCADE,
    cap BIGINT,
    weight DOUBLE PRECISION NOT NULL DEFAULT 1,
    suspended_at BIGINT
);

-- How many jobs of a team may run at once, within what its company may; a team that is not here has no limit.
CREATE TABLE job_teams (
    team_id $ID PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
    cap BIGINT
);
