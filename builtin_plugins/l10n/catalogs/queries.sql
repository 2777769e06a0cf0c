-- name: bump_revision [quick]
UPDATE l10n_policy SET revision = revision + 1 WHERE id = 1

-- name: revision [quick]
SELECT revision FROM l10n_policy WHERE id = 1

-- name: policy [quick]
SELECT default_locale, switching FROM l10n_policy WHERE id = 1

-- name: change_policy [quick]
UPDATE l10n_policy
SET default_locale = :default_locale, switching = :switching, revision = revision + 1
WHERE id = 1

-- name: opened_locales
SELECT
    code,
    (SELECT COUNT(*) FROM l10n_messages WHERE locale = code AND approved_text IS NOT NULL AND status <> 'gone')
        AS approved,
    (SELECT COUNT(*) FROM l10n_messages WHERE locale = code AND status <> 'gone') AS total
FROM l10n_locales
ORDER BY code

-- name: approved_texts
SELECT key, approved_text FROM l10n_messages WHERE locale = :locale AND approved_text IS NOT NULL

-- name: count_of_namespace
SELECT COUNT(*) AS many FROM l10n_messages WHERE ns = :ns

-- name: drop_history_of_namespace
DELETE FROM l10n_history WHERE message_id IN (SELECT id FROM l10n_messages WHERE ns = :ns)

-- name: drop_messages_of_namespace
-- Their drafts go with them.
DELETE FROM l10n_messages WHERE ns = :ns
