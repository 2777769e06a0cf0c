-- How far each language is, which everybody's first request asks for: counted as messages change, whoever changes
-- them. A key that the source has no more (`gone`) counts for nothing.
CREATE TABLE l10n_progress (
    locale $ID PRIMARY KEY,
    approved BIGINT NOT NULL,
    total BIGINT NOT NULL
);

LOCK TABLE l10n_messages IN SHARE ROW EXCLUSIVE MODE;

INSERT INTO l10n_progress (locale, approved, total)
SELECT locale, COUNT(approved_text), COUNT(*) FROM l10n_messages WHERE status <> 'gone' GROUP BY locale;

-- For a statement as a whole, in one order, and only where the counts change: a text that is submitted waits for
-- nobody who approves another.
CREATE OR REPLACE FUNCTION l10n_message_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO l10n_progress (locale, approved, total)
    SELECT locale, COUNT(approved_text), COUNT(*) FROM added WHERE status <> 'gone' GROUP BY locale ORDER BY locale
    ON CONFLICT (locale) DO UPDATE
    SET approved = l10n_progress.approved + excluded.approved, total = l10n_progress.total + excluded.total;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION l10n_message_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO l10n_progress (locale, approved, total)
    SELECT locale, SUM(approved), SUM(total)
    FROM (
        SELECT locale, CASE WHEN approved_text IS NULL THEN 0 ELSE 1 END AS approved, 1 AS total
        FROM added WHERE status <> 'gone'
        UNION ALL
        SELECT locale, CASE WHEN approved_text IS NULL THEN 0 ELSE -1 END, -1 FROM removed WHERE status <> 'gone'
    ) AS changed
    GROUP BY locale HAVING SUM(approved) <> 0 OR SUM(total) <> 0 ORDER BY locale
    ON CONFLICT (locale) DO UPDATE
    SET approved = l10n_progress.approved + excluded.approved, total = l10n_progress.total + excluded.total;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION l10n_message_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO l10n_progress (locale, approved, total)
    SELECT locale, -COUNT(approved_text), -COUNT(*) FROM removed WHERE status <> 'gone' GROUP BY locale
    ORDER BY locale
    ON CONFLICT (locale) DO UPDATE
    SET approved = l10n_progress.approved + excluded.approved, total = l10n_progress.total + excluded.total;
    RETURN NULL;
END $$;

CREATE TRIGGER l10n_message_added AFTER INSERT ON l10n_messages
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION l10n_message_added();

CREATE TRIGGER l10n_message_changed AFTER UPDATE ON l10n_messages
REFERENCING OLD TABLE AS removed NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION l10n_message_changed();

CREATE TRIGGER l10n_message_removed AFTER DELETE ON l10n_messages
REFERENCING OLD TABLE AS removed
FOR EACH STATEMENT EXECUTE FUNCTION l10n_message_removed();
