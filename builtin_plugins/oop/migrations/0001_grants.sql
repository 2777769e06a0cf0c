-- What the operator lets each out-of-process plugin do on behalf of whoever calls it.
CREATE TABLE oop_grants (
    plugin_id $ID NOT NULL,
    capability $ID NOT NULL,
    granted_by $ID NOT NULL,
    granted_at BIGINT NOT NULL,
    PRIMARY KEY (plugin_id, capability)
);
