-- What was deleted stays for its runs.
ALTER TABLE workflow_versions ADD COLUMN deleted_at BIGINT;

CREATE TABLE disabled_workflows (
    team_id $ID NOT NULL REFERENCES teams (id),
    slug $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    PRIMARY KEY (team_id, slug)
);
