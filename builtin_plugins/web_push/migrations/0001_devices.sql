-- Browsers that somebody wants to be told in. `endpoint` is where their push service takes messages, which are
-- encrypted for `public_key` and `secret`. One goes with the session in which it was registered.
CREATE TABLE push_devices (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    user_id $ID NOT NULL REFERENCES users (id),
    session_id $ID NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
    endpoint TEXT NOT NULL,
    endpoint_hash $ID NOT NULL UNIQUE,
    public_key TEXT NOT NULL,
    secret TEXT NOT NULL,
    name TEXT,
    created_at BIGINT NOT NULL
);

CREATE INDEX push_devices_of_person ON push_devices (user_id, id);

CREATE INDEX push_devices_of_session ON push_devices (session_id);

-- What waits to be sent; `content` is JSON, and its text is written when it is sent.
CREATE TABLE push_messages (
    device_id $ID NOT NULL REFERENCES push_devices (id) ON DELETE CASCADE,
    notification_id $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    content TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at BIGINT NOT NULL,
    PRIMARY KEY (device_id, notification_id)
);

CREATE INDEX push_messages_due ON push_messages (due_at);
