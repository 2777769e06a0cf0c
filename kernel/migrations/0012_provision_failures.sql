-- Wrong provisioning tokens, by the address they came from.
CREATE TABLE provision_failures (
    id $ID PRIMARY KEY,
    address $ID NOT NULL,
    at BIGINT NOT NULL
);

CREATE INDEX provision_failures_by_address ON provision_failures (address, at);

CREATE INDEX provision_failures_by_time ON provision_failures (at);
