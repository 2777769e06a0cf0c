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
SELECT code, COALESCE(approved, 0) AS approved, COALESCE(total, 0) AS total
FROM l10n_locales LEFT JOIN l10n_progress ON l10n_progress.locale = l10n_locales.code
ORDER BY code

-- name: approved_texts
SELECT key, approved_text FROM l10n_messages WHERE locale = :locale AND approved_text IS NOT NULL

-- name: count_of_namespace
SELECT COUNT(*) AS many FROM l10n_messages WHERE ns = :ns

-- name: lock_messages_of_namespace
-- Before any is removed: who approves one waits for the counts of its language while they hold it.
SELECT id FROM l10n_messages WHERE ns = :ns
ORDER BY id
FOR UPDATE -- (postgresql)

-- name: drop_history_of_namespace
DELETE FROM l10n_history WHERE message_id IN (SELECT id FROM l10n_messages WHERE ns = :ns)

-- name: drop_messages_of_namespace
-- Their drafts go with them.
DELETE FROM l10n_messages WHERE ns = :ns
