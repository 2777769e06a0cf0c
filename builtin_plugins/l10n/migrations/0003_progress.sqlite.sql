-- How far each language is, which everybody's first request asks for: counted as messages change, whoever changes
-- them. A key that the source has no more (`gone`) counts for nothing.
CREATE TABLE l10n_progress (
    locale $ID PRIMARY KEY,
    approved BIGINT NOT NULL,
    total BIGINT NOT NULL
);

INSERT INTO l10n_progress (locale, approved, total)
SELECT locale, COUNT(approved_text), COUNT(*) FROM l10n_messages WHERE status <> 'gone' GROUP BY locale;

CREATE TRIGGER l10n_message_added AFTER INSERT ON l10n_messages WHEN new.status <> 'gone'
BEGIN
    INSERT INTO l10n_progress (locale, approved, total) VALUES (new.locale, new.approved_text IS NOT NULL, 1)
    ON CONFLICT (locale) DO UPDATE
    SET approved = l10n_progress.approved + excluded.approved, total = l10n_progress.total + excluded.total;
END;

CREATE TRIGGER l10n_message_changed AFTER UPDATE OF status, approved_text ON l10n_messages
WHEN (new.status <> 'gone') <> (old.status <> 'gone') OR (new.approved_text IS NULL) <> (old.approved_text IS NULL)
BEGIN
    INSERT INTO l10n_progress (locale, approved, total)
    VALUES (
        new.locale,
        (new.status <> 'gone' AND new.approved_text IS NOT NULL)
            - (old.status <> 'gone' AND old.approved_text IS NOT NULL),
        (new.status <> 'gone') - (old.status <> 'gone')
    )
    ON CONFLICT (locale) DO UPDATE
    SET approved = l10n_progress.approved + excluded.approved, total = l10n_progress.total + excluded.total;
END;

CREATE TRIGGER l10n_message_removed AFTER DELETE ON l10n_messages WHEN old.status <> 'gone'
BEGIN
    UPDATE l10n_progress SET approved = approved - (old.approved_text IS NOT NULL), total = total - 1
    WHERE locale = old.locale;
END;
