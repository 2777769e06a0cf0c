-- `event_number` is that of the last event that was announced, `current_id` the last message of the branch that is
-- shown, `named` 1 where somebody gave the title.
CREATE TABLE conversation_folders (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    owner_id $ID NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX conversation_folders_of_owner ON conversation_folders (owner_id, team_id, id);

CREATE TABLE conversations (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    owner_id $ID NOT NULL REFERENCES users (id),
    folder_id $ID REFERENCES conversation_folders (id) ON DELETE SET NULL,
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    named INTEGER NOT NULL CHECK (named IN (0, 1)),
    title TEXT NOT NULL,
    title_words TEXT NOT NULL,
    model TEXT,
    system TEXT,
    current_id $ID,
    many BIGINT NOT NULL,
    event_number BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX conversations_of_owner ON conversations (owner_id, team_id, pinned, updated_at, id);

CREATE INDEX conversations_in_folder ON conversations (folder_id) WHERE folder_id IS NOT NULL;

CREATE INDEX conversations_of_team ON conversations (team_id, id);

CREATE INDEX conversations_by_change ON conversations (updated_at, id);

CREATE TABLE conversation_grants (
    conversation_id $ID NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    principal_type TEXT NOT NULL CHECK (principal_type IN ('user', 'team')),
    principal_id $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    capability TEXT NOT NULL CHECK (capability IN ('view', 'edit')),
    granted_by $ID NOT NULL REFERENCES users (id),
    granted_at BIGINT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (conversation_id, principal_id)
);

CREATE INDEX conversation_grants_of_principal ON conversation_grants (principal_id, org_id, conversation_id);

-- Tools that write and that somebody allowed for all of a conversation.
CREATE TABLE conversation_allowed_tools (
    conversation_id $ID NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    user_id $ID NOT NULL REFERENCES users (id),
    tool $ID NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    PRIMARY KEY (conversation_id, user_id, tool)
);

-- A tree by `parent_id`. Of an answer: `author_id` is who asked for it, `asked` what with, `progress` the turns of the
-- model until now, `tools` and `citations` as they are shown and more, all JSON. Events behind `said_from` say what is
-- not in `parts` yet. `words` is what search compares. What is long stands last.
CREATE TABLE conversation_messages (
    id $ID PRIMARY KEY,
    conversation_id $ID NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    org_id $ID NOT NULL REFERENCES orgs (id),
    parent_id $ID,
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'waiting', 'done', 'stopped', 'failed')),
    author_id $ID NOT NULL REFERENCES users (id),
    job_id $ID,
    job_team_id $ID,
    attempt BIGINT NOT NULL,
    said_from BIGINT NOT NULL,
    model TEXT,
    created_at BIGINT NOT NULL,
    size BIGINT NOT NULL,
    usage TEXT,
    error TEXT,
    asked TEXT NOT NULL,
    progress TEXT NOT NULL,
    tools TEXT NOT NULL,
    citations TEXT NOT NULL,
    words TEXT NOT NULL,
    parts TEXT NOT NULL
);

CREATE INDEX conversation_messages_of ON conversation_messages (conversation_id, id);

CREATE INDEX conversation_messages_below ON conversation_messages (conversation_id, parent_id, id);

CREATE INDEX conversation_messages_by_job ON conversation_messages (job_id) WHERE job_id IS NOT NULL;

CREATE TABLE conversation_events (
    conversation_id $ID NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    org_id $ID NOT NULL REFERENCES orgs (id),
    message_id $ID NOT NULL,
    event TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (conversation_id, number)
);

CREATE INDEX conversation_events_of_message ON conversation_events (conversation_id, message_id, number);
