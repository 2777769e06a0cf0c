-- For how many days each is kept (0 is for ever) and was before, since when, when a process last looked, and
-- how many rows have gone in all.
CREATE TABLE retention_periods (
    name $ID PRIMARY KEY,
    days BIGINT NOT NULL,
    days_before BIGINT NOT NULL,
    since BIGINT NOT NULL,
    looked_at BIGINT NOT NULL,
    thrown_away BIGINT NOT NULL
);
