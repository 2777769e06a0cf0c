-- What each company (team_id is empty) and each team has used of each dimension, and may use. A window's
-- count is that of the calendar window beginning at its start. The total is for ever: of a rate all that was
-- ever used, of concurrency what is held now, of a stock what is kept. A limit that is NULL is none.
CREATE TABLE quota_counters (
    org_id $ID NOT NULL,
    team_id $ID NOT NULL,
    dimension $ID NOT NULL,
    minute_start BIGINT NOT NULL DEFAULT 0,
    minute_used BIGINT NOT NULL DEFAULT 0,
    hour_start BIGINT NOT NULL DEFAULT 0,
    hour_used BIGINT NOT NULL DEFAULT 0,
    day_start BIGINT NOT NULL DEFAULT 0,
    day_used BIGINT NOT NULL DEFAULT 0,
    month_start BIGINT NOT NULL DEFAULT 0,
    month_used BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL DEFAULT 0,
    minute_limit BIGINT,
    hour_limit BIGINT,
    day_limit BIGINT,
    month_limit BIGINT,
    none_limit BIGINT,
    PRIMARY KEY (org_id, team_id, dimension)
);

-- What is reserved and not settled yet; the counters include it. Past its expiry it no longer counts: returned
-- is 1 once the counters say so too, and the row stays a while for whoever settles late.
CREATE TABLE quota_holds (
    reservation $ID NOT NULL,
    dimension $ID NOT NULL,
    org_id $ID NOT NULL,
    team_id $ID NOT NULL,
    amount BIGINT NOT NULL,
    reserved_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    returned INTEGER NOT NULL CHECK (returned IN (0, 1)),
    PRIMARY KEY (reservation, dimension)
);

CREATE INDEX quota_holds_by_expiry ON quota_holds (org_id, returned, expires_at);
