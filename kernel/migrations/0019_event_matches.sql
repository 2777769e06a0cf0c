-- What a subscription's own query found when the event happened, as JSON; null without one, or where it failed.
ALTER TABLE event_outbox ADD COLUMN matches TEXT;
