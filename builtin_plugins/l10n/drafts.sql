-- name: queue_messages
-- Those that no job is under way for; what failed before comes last, the longest ago first.
INSERT INTO l10n_drafts (message_id, queued_at, ended_at)
SELECT messages.id, CAST(:now AS BIGINT), 0
FROM l10n_messages AS messages LEFT JOIN l10n_drafts AS drafts ON drafts.message_id = messages.id
WHERE messages.locale = :locale AND messages.status = 'missing'
    AND (drafts.queued_at IS NULL OR drafts.queued_at <= :lapsed)
ORDER BY COALESCE(drafts.ended_at, 0), messages.key
LIMIT :limit
ON CONFLICT (message_id) DO UPDATE SET queued_at = excluded.queued_at
RETURNING message_id

-- name: count_waiting
SELECT COUNT(*)
FROM l10n_messages AS messages LEFT JOIN l10n_drafts AS drafts ON drafts.message_id = messages.id
WHERE messages.locale = :locale AND messages.status = 'missing'
    AND (drafts.queued_at IS NULL OR drafts.queued_at <= :lapsed)

-- name: is_open [quick]
SELECT 1 FROM l10n_locales WHERE code = :locale

-- name: missing_message [quick]
SELECT id, locale, key, source FROM l10n_messages WHERE id = :id AND status = 'missing'

-- name: store_draft [quick]
-- Only while nobody has touched the message since its source was read.
UPDATE l10n_messages SET
    status = 'machine', origin = 'machine', text = :text, problem = :problem, version = version + 1,
    updated_at = :now
WHERE id = :id AND status = 'missing' AND source = :source
RETURNING version

-- name: note_problem [quick]
UPDATE l10n_messages SET problem = :problem WHERE id = :id AND status = 'missing'

-- name: release_message [quick]
UPDATE l10n_drafts SET queued_at = NULL, ended_at = :now WHERE message_id = :id
