-- Kinds of steps are declared, and a step may wait. Those of a branch have the number of the step that holds it as
-- `parent`.
ALTER TABLE run_steps DROP CONSTRAINT run_steps_kind_check;

ALTER TABLE run_steps DROP CONSTRAINT run_steps_state_check;

ALTER TABLE run_steps ADD CONSTRAINT run_steps_state_check
    CHECK (state IN ('running', 'waiting', 'succeeded', 'failed', 'cancelled'));

ALTER TABLE run_steps ADD COLUMN parent INTEGER;

ALTER TABLE run_steps ADD COLUMN branch INTEGER;
