-- `match_types` and `input` are JSON; `size` is what the row takes of a page.
CREATE TABLE doc_triggers (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    workflow_slug $ID NOT NULL,
    match_prefix $ID NOT NULL,
    match_types TEXT NOT NULL,
    fire_on_derived INTEGER NOT NULL,
    created_by $ID NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    size BIGINT NOT NULL,
    input TEXT NOT NULL
);

CREATE INDEX doc_triggers_of_team ON doc_triggers (team_id, id);

-- The prefixes of a team's triggers, each once; `parent` is the longest other one that it begins with. The greatest
-- that is not after a key, and those above it, are all that the key can begin with.
CREATE TABLE doc_trigger_prefixes (
    team_id $ID NOT NULL,
    prefix $ID NOT NULL,
    parent $ID,
    PRIMARY KEY (team_id, prefix)
);

CREATE INDEX doc_trigger_prefixes_below ON doc_trigger_prefixes (team_id, parent);

-- A row for each type that a trigger matches, '*/*' for any.
CREATE TABLE doc_trigger_matches (
    team_id $ID NOT NULL,
    prefix $ID NOT NULL,
    type $ID NOT NULL,
    trigger_id $ID NOT NULL REFERENCES doc_triggers (id),
    PRIMARY KEY (team_id, prefix, type, trigger_id)
);

CREATE INDEX doc_trigger_matches_of_trigger ON doc_trigger_matches (trigger_id);

-- What became of a version that a trigger matches: decided once. A trigger may be gone before its history is.
CREATE TABLE doc_trigger_fires (
    id $ID PRIMARY KEY,
    org_id $ID NOT NULL REFERENCES orgs (id),
    team_id $ID NOT NULL REFERENCES teams (id),
    trigger_id $ID NOT NULL,
    object_id $ID NOT NULL,
    version_id $ID NOT NULL,
    version BIGINT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('started', 'skipped')),
    reason TEXT,
    run_id $ID,
    at BIGINT NOT NULL,
    UNIQUE (trigger_id, version_id)
);

CREATE INDEX doc_trigger_fires_of_trigger ON doc_trigger_fires (trigger_id, id);
