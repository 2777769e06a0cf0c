-- A factor that is being set up: it counts for nothing until a code of it came, which has to be before this time.
-- NULL where it is on.
ALTER TABLE two_factor ADD COLUMN confirm_by BIGINT;
