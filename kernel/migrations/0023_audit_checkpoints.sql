-- How far a chain was verified. The seal is made with the key, so that nobody else can say it. Of the kind
-- 'floor': what came up to here was thrown away by rule, and the chain begins after it.
CREATE TABLE audit_checkpoints (
    chain $ID NOT NULL,
    seq BIGINT NOT NULL,
    mac TEXT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    seal TEXT NOT NULL,
    PRIMARY KEY (chain, seq)
);
