-- The messages that a model was asked for: since when a job is under way, and when the last one ended. A message
-- belongs to no team, so that who asks in another team does not ask for the same one meanwhile.
CREATE TABLE l10n_drafts (
    message_id $ID PRIMARY KEY REFERENCES l10n_messages (id) ON DELETE CASCADE,
    queued_at BIGINT,
    ended_at BIGINT NOT NULL
);
