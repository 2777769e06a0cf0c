-- What an endpoint was found not to take, as a JSON list of names. The local executor and those of the
-- environment have a row too. The fingerprint is of the address and model that it was found of.
CREATE TABLE executor_quirks (
    executor_id $ID PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    flags TEXT NOT NULL,
    found_at BIGINT NOT NULL
);
