-- When those who are asked are reminded next, if they are.
ALTER TABLE approvals ADD COLUMN remind_at BIGINT;

CREATE INDEX approvals_to_remind ON approvals (remind_at) WHERE remind_at IS NOT NULL AND open = 1;
