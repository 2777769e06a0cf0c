-- Teams of which some run has waited for an event: of the others nothing is asked when one happens. That a team is none
-- of them is remembered until the version of access moves: see docs/plugins/views.md.
CREATE TABLE teams_that_wait (
    team_id $ID PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id)
);

INSERT INTO teams_that_wait (team_id, org_id)
SELECT DISTINCT team_id, org_id FROM run_waits WHERE key LIKE 'event:%';

CREATE CONSTRAINT TRIGGER teams_that_wait_access AFTER INSERT
ON teams_that_wait DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION move_access_version();
