-- The events that there are, and those of this month, become the first partition of the table (see the next step). What
-- is promised here is proven there, beside everybody's work: nobody waits while a million rows are read.
DO $$
DECLARE
    month TIMESTAMP := date_trunc('month', (now() AT TIME ZONE 'UTC') + INTERVAL '7 days') + INTERVAL '1 month';
    newest TEXT := (SELECT MAX(id) FROM audit_events);
    bound TEXT;
BEGIN
    LOOP
        -- How ids begin from that time on: 48 bits of milliseconds, five to a letter.
        SELECT 'evt_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', CAST((ms >> (45 - 5 * place)) & 31 AS INTEGER) + 1, 1), '' ORDER BY place)
        INTO bound
        FROM (SELECT CAST(EXTRACT(EPOCH FROM month) * 1000 AS BIGINT) AS ms) AS begins, generate_series(0, 9) AS place;
        EXIT WHEN newest IS NULL OR newest < bound COLLATE "C" OR month > TIMESTAMP '2200-01-01';
        month := month + INTERVAL '1 month';
    END LOOP;
    IF newest >= bound COLLATE "C" THEN
        bound := newest || '0';
    END IF;
    EXECUTE format('ALTER TABLE audit_events ADD CONSTRAINT audit_events_bound CHECK (id < %L) NOT VALID', bound);
END
$$;
