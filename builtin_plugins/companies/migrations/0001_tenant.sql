-- The one tenant of a hosted instance, and its owner's way in. Of the activation token only a hash is kept,
-- and only until it is spent.
CREATE TABLE hosted_tenant (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    org_id $ID NOT NULL,
    team_id $ID NOT NULL,
    user_id $ID NOT NULL,
    activation_hash $ID,
    activation_expires_at BIGINT NOT NULL,
    activated_at BIGINT,
    created_at BIGINT NOT NULL
);
