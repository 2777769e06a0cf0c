-- `org_id` is '' for a model of the whole instance. `allowed` and `price` are JSON; without `allowed` it is for everybody
-- who may use models.
CREATE TABLE member_models (
    org_id $ID NOT NULL,
    name $ID NOT NULL,
    executor $ID NOT NULL,
    model TEXT,
    label TEXT NOT NULL,
    description TEXT NOT NULL,
    allowed TEXT,
    price TEXT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, name)
);
