-- The sweep goes portion by portion: how far the one under way has come ('' where none is), and until when one
-- process has it to itself. `swept_at` is when it began.
ALTER TABLE blob_sweeps ADD COLUMN stage TEXT NOT NULL DEFAULT '';

ALTER TABLE blob_sweeps ADD COLUMN namespace $ID NOT NULL DEFAULT '';

ALTER TABLE blob_sweeps ADD COLUMN sha256 $ID NOT NULL DEFAULT '';

ALTER TABLE blob_sweeps ADD COLUMN held_until BIGINT NOT NULL DEFAULT 0;
