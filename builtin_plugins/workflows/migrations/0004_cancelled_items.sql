-- The items of a map that were cancelled: they are over, and have not failed.
ALTER TABLE run_steps ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
