-- name: locales
SELECT code FROM l10n_locales ORDER BY code

-- name: open_locale [quick]
INSERT INTO l10n_locales (code, opened_at) VALUES (:code, :now) ON CONFLICT (code) DO NOTHING RETURNING code

-- name: messages_between
-- What an import compares with the files: a part of the keys of a language.
SELECT
    id, key, status, former_status, origin, version, reviewed_by, source, previous_source, text, approved_text,
    problem
FROM l10n_messages
WHERE locale = :locale AND key > :after AND key <= :last
ORDER BY key

-- name: insert_messages (sqlite)
INSERT INTO l10n_messages (
    id, locale, key, ns, status, origin, version, created_at, updated_at, source, text, approved_text, problem
)
SELECT
    value ->> 0, :locale, value ->> 1, value ->> 2, value ->> 3, value ->> 4, 1, :now, :now, value ->> 5,
    value ->> 6, value ->> 6, value ->> 7
FROM json_each(:messages) WHERE true
ON CONFLICT (locale, key) DO NOTHING
RETURNING id

-- name: insert_messages (postgresql)
INSERT INTO l10n_messages (
    id, locale, key, ns, status, origin, version, created_at, updated_at, source, text, approved_text, problem
)
SELECT
    value ->> 0, CAST(:locale AS TEXT), value ->> 1, value ->> 2, value ->> 3, value ->> 4, 1,
    CAST(:now AS BIGINT), CAST(:now AS BIGINT), value ->> 5, value ->> 6, value ->> 6, value ->> 7
FROM json_array_elements(CAST(CAST(:messages AS TEXT) AS JSON)) AS given (value)
ON CONFLICT (locale, key) DO NOTHING
RETURNING id

-- name: revise_messages (sqlite)
-- As an import decided by what it had read: none that was changed since.
UPDATE l10n_messages SET
    status = given.value ->> 'status', former_status = given.value ->> 'former_status',
    origin = given.value ->> 'origin', source = given.value ->> 'source',
    previous_source = given.value ->> 'previous_source', text = given.value ->> 'text',
    approved_text = given.value ->> 'approved_text', problem = given.value ->> 'problem', version = version + 1,
    updated_at = :now
FROM json_each(:messages) AS given
WHERE l10n_messages.id = (given.value ->> 'id') AND l10n_messages.version = (given.value ->> 'version')
RETURNING l10n_messages.id

-- name: revise_messages (postgresql)
UPDATE l10n_messages SET
    status = given.status, former_status = given.former_status, origin = given.origin, source = given.source,
    previous_source = given.previous_source, text = given.text, approved_text = given.approved_text,
    problem = given.problem, version = l10n_messages.version + 1, updated_at = :now
FROM json_to_recordset(CAST(CAST(:messages AS TEXT) AS JSON)) AS given (
    id TEXT, version BIGINT, status TEXT, former_status TEXT, origin TEXT, source TEXT, previous_source TEXT,
    text TEXT, approved_text TEXT, problem TEXT
)
WHERE l10n_messages.id = given.id AND l10n_messages.version = given.version
RETURNING l10n_messages.id

-- name: record_changes (sqlite)
INSERT INTO l10n_history (message_id, version, at, action, text)
SELECT value ->> 0, value ->> 1, :now, value ->> 2, value ->> 3 FROM json_each(:changes)

-- name: record_changes (postgresql)
INSERT INTO l10n_history (message_id, version, at, action, text)
SELECT value ->> 0, CAST(value ->> 1 AS BIGINT), CAST(:now AS BIGINT), value ->> 2, value ->> 3
FROM json_array_elements(CAST(CAST(:changes AS TEXT) AS JSON)) AS given (value)

-- name: record_change [quick]
INSERT INTO l10n_history (message_id, version, at, action, user_id, text, comment)
VALUES (:message_id, :version, :now, :action, :user_id, :text, :comment)

-- name: coverage [long, may lag]
-- Each count by itself: it walks along the index, and puts nothing together.
SELECT
    code AS locale,
    (SELECT COUNT(*) FROM l10n_messages WHERE locale = code AND status = 'approved') AS approved,
    (SELECT COUNT(*) FROM l10n_messages WHERE locale = code AND status = 'machine') AS machine,
    (SELECT COUNT(*) FROM l10n_messages WHERE locale = code AND status = 'submitted') AS submitted,
    (SELECT COUNT(*) FROM l10n_messages WHERE locale = code AND status = 'returned') AS returned,
    (SELECT COUNT(*) FROM l10n_messages WHERE locale = code AND status = 'missing') AS missing,
    (SELECT COUNT(*) FROM l10n_messages WHERE locale = code AND status = 'stale') AS stale
FROM l10n_locales
WHERE code > :after
ORDER BY code LIMIT :limit

-- name: any_message [part]
SELECT
    id, locale, key, ns, status, origin, version, submitted_by, reviewed_by, updated_at, source,
    previous_source, text, approved_text, comment, problem
FROM l10n_messages

-- name: messages
-- Of a language whose first import has come to its end.
-- use: any_message
WHERE locale = :locale AND key > :after AND key < :end AND status <> 'gone'
    AND EXISTS (SELECT 1 FROM l10n_locales WHERE code = :locale)
ORDER BY key LIMIT :limit

-- name: messages_of_status
-- use: any_message
WHERE locale = :locale AND status = :status AND key > :after AND key < :end
    AND EXISTS (SELECT 1 FROM l10n_locales WHERE code = :locale)
ORDER BY key LIMIT :limit

-- name: message [quick]
-- use: any_message
WHERE id = :id

-- name: lock_message [quick]
-- use: any_message
WHERE id = :id
FOR UPDATE -- (postgresql)

-- name: submit_text [quick]
UPDATE l10n_messages SET
    status = 'submitted', origin = 'human', text = :text, submitted_by = :user_id, reviewed_by = NULL,
    comment = NULL, problem = NULL, version = version + 1, updated_at = :now
WHERE id = :id AND version = :version

-- name: approve [quick]
UPDATE l10n_messages SET
    status = 'approved', origin = 'human', approved_text = text, previous_source = NULL,
    reviewed_by = :user_id, comment = :comment, problem = NULL, version = version + 1, updated_at = :now
WHERE id = :id AND version = :version

-- name: send_back [quick]
UPDATE l10n_messages SET
    status = 'returned', reviewed_by = :user_id, comment = :comment, version = version + 1, updated_at = :now
WHERE id = :id AND version = :version

-- name: history
SELECT history.version, history.at, history.action, history.user_id, people.display_name AS user_name,
    history.text, history.comment
FROM l10n_history AS history LEFT JOIN published_people AS people ON people.id = history.user_id
WHERE history.message_id = :id AND history.version < :before
ORDER BY history.version DESC LIMIT :limit

-- name: discard_machine_work
-- In one statement: what a person has taken up meanwhile is no machine's work any more. A draft whose source
-- has changed is one still, and could be neither reviewed nor drafted anew.
UPDATE l10n_messages SET
    status = 'missing', origin = NULL, text = NULL, previous_source = NULL, problem = NULL,
    version = version + 1, updated_at = :now
WHERE locale = :locale AND status IN ('machine', 'stale') AND origin = 'machine' AND reviewed_by IS NULL
RETURNING id, version

-- name: approved_texts
SELECT key, approved_text FROM l10n_messages
WHERE locale = :locale AND approved_text IS NOT NULL AND previous_source IS NULL AND status <> 'gone'
ORDER BY key
