-- name: columns [part]
conversations.id, conversations.org_id, conversations.team_id, conversations.owner_id, conversations.folder_id,
conversations.pinned, conversations.named, conversations.title, conversations.model, conversations.system,
conversations.current_id, conversations.many, conversations.event_number, conversations.created_at,
conversations.updated_at, owners.display_name AS owner_name,
mine.capability AS mine, mine.expires_at AS mine_until, ours.capability AS ours, ours.expires_at AS ours_until

-- name: given [part]
FROM conversations
JOIN published_people AS owners ON owners.id = conversations.owner_id
LEFT JOIN conversation_grants AS mine
    ON mine.conversation_id = conversations.id AND mine.principal_id = :user_id
LEFT JOIN conversation_grants AS ours
    ON ours.conversation_id = conversations.id AND ours.principal_id = :my_team

-- name: conversation [quick]
SELECT
    -- use: columns
-- use: given
WHERE conversations.id = :id AND conversations.org_id = :org_id

-- name: hold [quick]
-- Nobody else changes the conversation, or a message of it, until the transaction ends.
UPDATE conversations SET event_number = event_number WHERE id = :id AND org_id = :org_id RETURNING id

-- name: own_page
SELECT
    -- use: columns
-- use: given
WHERE conversations.owner_id = :user_id AND conversations.team_id = :team_id AND conversations.org_id = :org_id
    AND (conversations.pinned, conversations.updated_at, conversations.id) < (:pinned, :updated_at, :last)
    AND (CAST(:folder_id AS TEXT) IS NULL OR conversations.folder_id = :folder_id)
ORDER BY conversations.pinned DESC, conversations.updated_at DESC, conversations.id DESC
LIMIT :limit

-- name: own_found [long]
SELECT
    -- use: columns
-- use: given
WHERE conversations.owner_id = :user_id AND conversations.team_id = :team_id AND conversations.org_id = :org_id
    AND (conversations.pinned, conversations.updated_at, conversations.id) < (:pinned, :updated_at, :last)
    AND (CAST(:folder_id AS TEXT) IS NULL OR conversations.folder_id = :folder_id)
    AND (
        INSTR(conversations.title_words, :q) > 0 -- (sqlite)
        STRPOS(conversations.title_words, :q) > 0 -- (postgresql)
        OR EXISTS (
            SELECT 1 FROM conversation_messages AS messages
            WHERE messages.conversation_id = conversations.id
                AND INSTR(messages.words, :q) > 0 -- (sqlite)
                AND STRPOS(messages.words, :q) > 0 -- (postgresql)
        )
    )
ORDER BY conversations.pinned DESC, conversations.updated_at DESC, conversations.id DESC
LIMIT :limit

-- name: shared_page [long]
-- What others gave to somebody or to their team; an empty text is in every title.
SELECT
    -- use: columns
-- use: given
WHERE conversations.id IN (
        SELECT conversation_id FROM conversation_grants
        WHERE principal_id IN (:user_id, :my_team) AND org_id = :org_id
            AND (expires_at IS NULL OR expires_at > :now)
    )
    AND conversations.org_id = :org_id AND conversations.owner_id <> :user_id
    AND (conversations.updated_at, conversations.id) < (:updated_at, :last)
    AND (
        INSTR(conversations.title_words, :q) > 0 -- (sqlite)
        STRPOS(conversations.title_words, :q) > 0 -- (postgresql)
        OR EXISTS (
            SELECT 1 FROM conversation_messages AS messages
            WHERE messages.conversation_id = conversations.id
                AND INSTR(messages.words, :q) > 0 -- (sqlite)
                AND STRPOS(messages.words, :q) > 0 -- (postgresql)
        )
    )
ORDER BY conversations.updated_at DESC, conversations.id DESC
LIMIT :limit

-- name: many_of_owner [quick]
SELECT COUNT(*) AS many FROM conversations WHERE owner_id = :user_id AND team_id = :team_id AND org_id = :org_id

-- name: insert_conversation [quick]
INSERT INTO conversations (
    id, org_id, team_id, owner_id, folder_id, pinned, named, title, title_words, model, system, current_id, many,
    event_number, created_at, updated_at
)
VALUES (
    :id, :org_id, :team_id, :owner_id, CAST(:folder_id AS TEXT), :pinned, :named, :title, :title_words,
    CAST(:model AS TEXT), CAST(:system AS TEXT), NULL, 0, 0, :now, :now
)

-- name: update_conversation [quick]
UPDATE conversations
SET folder_id = CAST(:folder_id AS TEXT), pinned = :pinned, named = :named, title = :title,
    title_words = :title_words, model = CAST(:model AS TEXT), system = CAST(:system AS TEXT),
    current_id = CAST(:current_id AS TEXT)
WHERE id = :id AND org_id = :org_id

-- name: grown [quick]
-- A message was added: the branch that ends with it is the one that is shown.
UPDATE conversations
SET current_id = :message_id, many = many + :added, updated_at = :now,
    title = CASE WHEN title = '' THEN CAST(:title AS TEXT) ELSE title END,
    title_words = CASE WHEN title = '' THEN CAST(:title_words AS TEXT) ELSE title_words END
WHERE id = :id AND org_id = :org_id

-- name: delete_conversation [quick]
DELETE FROM conversations WHERE id = :id AND org_id = :org_id

-- name: count_old
SELECT COUNT(*) FROM conversations WHERE updated_at <= :before

-- name: delete_old (sqlite)
DELETE FROM conversations WHERE id IN (
    SELECT id FROM conversations WHERE updated_at <= :before ORDER BY updated_at, id LIMIT :limit
)
RETURNING id

-- name: delete_old (postgresql)
DELETE FROM conversations WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM conversations WHERE updated_at <= :before
    ORDER BY updated_at, id LIMIT :limit FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: count_conversations
SELECT COUNT(*) FROM conversations

-- name: held_by_team
SELECT id FROM conversations WHERE team_id = :team_id LIMIT 1

-- name: move_conversations
UPDATE conversations SET team_id = :target WHERE team_id = :source AND org_id = :org_id

-- name: move_folders
UPDATE conversation_folders SET team_id = :target WHERE team_id = :source AND org_id = :org_id

-- name: drop_double_grants
DELETE FROM conversation_grants
WHERE principal_type = 'team' AND principal_id = :source AND org_id = :org_id
    AND EXISTS (
        SELECT 1 FROM conversation_grants AS other
        WHERE other.conversation_id = conversation_grants.conversation_id AND other.principal_id = :target
    )

-- name: move_grants
UPDATE conversation_grants SET principal_id = :target
WHERE principal_type = 'team' AND principal_id = :source AND org_id = :org_id

-- name: folders
SELECT id, name, created_at FROM conversation_folders
WHERE owner_id = :user_id AND team_id = :team_id AND org_id = :org_id AND id > :after
ORDER BY id
LIMIT :limit

-- name: folder [quick]
SELECT id, name, created_at FROM conversation_folders
WHERE id = :id AND owner_id = :user_id AND team_id = :team_id AND org_id = :org_id

-- name: many_folders [quick]
SELECT COUNT(*) FROM conversation_folders WHERE owner_id = :user_id AND team_id = :team_id AND org_id = :org_id

-- name: insert_folder [quick]
INSERT INTO conversation_folders (id, org_id, team_id, owner_id, name, created_at)
VALUES (:id, :org_id, :team_id, :user_id, :name, :now)

-- name: rename_folder [quick]
UPDATE conversation_folders SET name = :name
WHERE id = :id AND owner_id = :user_id AND team_id = :team_id AND org_id = :org_id

-- name: delete_folder [quick]
DELETE FROM conversation_folders
WHERE id = :id AND owner_id = :user_id AND team_id = :team_id AND org_id = :org_id
