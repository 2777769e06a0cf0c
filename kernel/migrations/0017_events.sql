-- What is to be delivered and is not a job yet: one row for each event and subscription.
CREATE TABLE event_outbox (
    id $ID PRIMARY KEY,
    event_id $ID NOT NULL,
    event $ID NOT NULL,
    subscription $ID NOT NULL,
    org_id $ID NOT NULL,
    team_id $ID NOT NULL,
    user_id $ID NOT NULL,
    credential_id $ID,
    scope TEXT,
    depth INTEGER NOT NULL,
    payload TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX event_outbox_in_turn ON event_outbox (subscription, team_id, id);

-- How many events led to a job; what it does itself counts from there.
ALTER TABLE jobs ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
