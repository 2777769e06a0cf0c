-- name: insert_note
INSERT INTO notes (
    id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body, title_key, tags,
    version_at, version_by, autosaved
)
VALUES (
    :id, :org_id, :team_id, :owner_id, :visibility, 1, :now, :now, :size, :title, :body, :title_key, :tags,
    :now, :owner_id, 1
)

-- name: insert_sample
INSERT INTO notes (
    id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body, sample, title_key,
    version_at, version_by
)
VALUES (
    :id, :org_id, :team_id, :owner_id, 'team', 1, :now, :now, :size, :title, :body, :sample, :title_key,
    :now, :owner_id
)
ON CONFLICT (team_id, sample) WHERE sample IS NOT NULL DO NOTHING
RETURNING id

-- name: count_notes
SELECT COUNT(*) FROM notes WHERE deleted_at IS NULL

-- name: note
-- Anything of the company by id, with what the caller was given by name; the service judges the rest.
SELECT
    notes.id, notes.org_id, notes.team_id, notes.owner_id, notes.visibility, notes.revision,
    notes.created_at, notes.updated_at, notes.title, notes.body, notes.tags, notes.version, notes.version_at,
    notes.version_by, notes.deleted_at,
    owners.display_name AS owner_name, note_shares.permission AS shared_permission
FROM notes
JOIN published_people AS owners ON owners.id = notes.owner_id
LEFT JOIN note_shares ON note_shares.note_id = notes.id AND note_shares.user_id = :user_id
WHERE notes.id = :id AND notes.org_id = :org_id

-- name: update_note
UPDATE notes
SET title = COALESCE(CAST(:title AS TEXT), title),
    title_key = COALESCE(CAST(:title_key AS TEXT), title_key),
    body = COALESCE(CAST(:body AS TEXT), body),
    tags = COALESCE(CAST(:tags AS TEXT), tags),
    size = COALESCE(CAST(:size AS BIGINT), size),
    visibility = COALESCE(CAST(:visibility AS TEXT), visibility),
    revision = revision + 1,
    updated_at = :now
WHERE id = :id AND org_id = :org_id

-- name: store_version
INSERT INTO note_versions (note_id, number, org_id, created_at, created_by, size, title, tags, body)
SELECT id, version, org_id, version_at, COALESCE(version_by, owner_id), size, title, tags, body
FROM notes WHERE id = :id AND org_id = :org_id

-- name: begin_version
UPDATE notes SET version = version + 1, version_at = :now, version_by = :user_id, autosaved = :autosaved
WHERE id = :id AND org_id = :org_id

-- name: autosaved
-- Whether the version that a note has was saved while somebody typed, and by nothing else.
SELECT autosaved FROM notes WHERE id = :id AND org_id = :org_id

-- name: drop_old_versions
-- The newest stay, as far as there is room for them.
DELETE FROM note_versions
WHERE note_id = :id AND number <= (
    SELECT MAX(sized.number) FROM (
        SELECT
            number, COUNT(*) OVER (ORDER BY number DESC) AS newer, SUM(size) OVER (ORDER BY number DESC) AS bytes
        FROM note_versions WHERE note_id = :id
    ) AS sized
    WHERE sized.newer > :max_versions OR sized.bytes > :max_bytes
)

-- name: versions
SELECT number, created_at, title, created_by FROM note_versions
WHERE note_id = :id AND org_id = :org_id AND number < :before
ORDER BY number DESC
LIMIT :limit

-- name: version
SELECT number, created_at, title, created_by, tags, body FROM note_versions
WHERE note_id = :id AND org_id = :org_id AND number = :number

-- name: drop_tags
DELETE FROM note_tags WHERE note_id = :id

-- name: insert_tag
INSERT INTO note_tags (note_id, tag, org_id) VALUES (:id, :tag, :org_id) ON CONFLICT (note_id, tag) DO NOTHING

-- name: put_in_bin
-- A sample that was deleted can be asked for again.
UPDATE notes SET deleted_at = :now, deleted_by = :user_id, sample = NULL, revision = revision + 1
WHERE id = :id AND org_id = :org_id

-- name: take_out_of_bin
UPDATE notes SET deleted_at = NULL, deleted_by = NULL, revision = revision + 1
WHERE id = :id AND org_id = :org_id

-- name: oldest_in_bin
-- What somebody's bin has no room for.
SELECT id FROM notes
WHERE owner_id = :owner_id AND team_id = :team_id AND deleted_at IS NOT NULL
ORDER BY deleted_at DESC, id DESC
LIMIT 100 OFFSET :max_notes

-- name: count_binned
SELECT COUNT(*) FROM notes WHERE deleted_at IS NOT NULL AND deleted_at <= :before

-- name: delete_binned (sqlite)
DELETE FROM notes WHERE id IN (
    SELECT id FROM notes WHERE deleted_at IS NOT NULL AND deleted_at <= :before ORDER BY deleted_at, id LIMIT :limit
)
RETURNING id

-- name: delete_binned (postgresql)
-- By their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM notes WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM notes WHERE deleted_at IS NOT NULL AND deleted_at <= :before
    ORDER BY deleted_at, id LIMIT :limit FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: delete_note
DELETE FROM notes WHERE id = :id AND org_id = :org_id

-- name: bump_revision
UPDATE notes SET revision = revision + 1 WHERE id = :id AND org_id = :org_id

-- name: shares (sqlite)
-- Of several notes; a share whose holder has left the company is dead and not shown.
SELECT note_shares.note_id, note_shares.user_id, holders.display_name AS name, note_shares.permission
FROM note_shares JOIN published_people AS holders ON holders.id = note_shares.user_id
WHERE note_shares.note_id IN (SELECT value FROM json_each(:ids))
    AND note_shares.org_id = :org_id
    AND EXISTS (
        SELECT 1 FROM published_memberships AS memberships WHERE memberships.user_id = note_shares.user_id
    )
ORDER BY note_shares.note_id, note_shares.created_at, note_shares.user_id

-- name: shares (postgresql)
SELECT note_shares.note_id, note_shares.user_id, holders.display_name AS name, note_shares.permission
FROM note_shares JOIN published_people AS holders ON holders.id = note_shares.user_id
WHERE note_shares.note_id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))
    AND note_shares.org_id = :org_id
    AND EXISTS (
        SELECT 1 FROM published_memberships AS memberships WHERE memberships.user_id = note_shares.user_id
    )
ORDER BY note_shares.note_id, note_shares.created_at, note_shares.user_id

-- name: colleague
SELECT people.id FROM published_people AS people
WHERE people.id = :user_id AND people.org_id = :org_id
    AND EXISTS (SELECT 1 FROM published_memberships AS memberships WHERE memberships.user_id = people.id)

-- name: put_share
INSERT INTO note_shares (note_id, user_id, org_id, permission, created_at)
VALUES (:id, :user_id, :org_id, :permission, :now)
ON CONFLICT (note_id, user_id) DO UPDATE SET permission = excluded.permission, created_at = excluded.created_at

-- name: delete_share
DELETE FROM note_shares WHERE note_id = :id AND user_id = :user_id AND org_id = :org_id RETURNING user_id

-- name: holders
SELECT user_id FROM note_shares WHERE note_id = :id AND org_id = :org_id

-- name: put_editor
INSERT INTO note_editors (note_id, user_id, org_id, until)
VALUES (:id, :user_id, :org_id, :until)
ON CONFLICT (note_id, user_id) DO UPDATE SET until = excluded.until

-- name: drop_editors
-- Who stopped, and those who were not heard of again.
DELETE FROM note_editors
WHERE note_id = :id AND org_id = :org_id AND (user_id = :user_id OR until <= :now)

-- name: editors
SELECT note_editors.user_id, people.display_name AS name
FROM note_editors JOIN published_people AS people ON people.id = note_editors.user_id
WHERE note_editors.note_id = :id AND note_editors.org_id = :org_id AND note_editors.until > :now
    AND note_editors.user_id <> :user_id
ORDER BY people.display_name, note_editors.user_id
LIMIT :limit

-- name: findable
SELECT 1 FROM notes
WHERE notes.id = hit.ref_id AND notes.org_id = :org_id AND notes.deleted_at IS NULL AND (
    (notes.team_id = :team_id AND (notes.owner_id = :user_id OR (:by_role = 1 AND notes.visibility = 'team')))
    OR EXISTS (
        SELECT 1 FROM note_shares WHERE note_shares.note_id = notes.id AND note_shares.user_id = :user_id
    )
)

-- name: findable_in_org
SELECT 1 FROM notes
WHERE notes.id = hit.ref_id AND notes.org_id = :org_id AND notes.deleted_at IS NULL AND (
    notes.visibility = 'team'
    OR (notes.team_id = :team_id AND notes.owner_id = :user_id)
    OR EXISTS (
        SELECT 1 FROM note_shares WHERE note_shares.note_id = notes.id AND note_shares.user_id = :user_id
    )
)

-- name: few_notes
-- All that `findable` could admit, as far as that is little.
SELECT id AS ref_id FROM (
    SELECT id FROM notes
    WHERE :by_role = 1 AND team_id = :team_id AND visibility = 'team' AND deleted_at IS NULL LIMIT :limit
) AS of_team
UNION ALL
SELECT id FROM (
    SELECT id FROM notes
    WHERE owner_id = :user_id AND team_id = :team_id AND deleted_at IS NULL LIMIT :limit
) AS own
UNION ALL
SELECT note_id FROM (
    SELECT note_id FROM note_shares WHERE user_id = :user_id AND org_id = :org_id LIMIT :limit
) AS given
LIMIT :limit

-- name: every_note (sqlite)
SELECT id AS ref_id, org_id, team_id, title, body AS text FROM notes
WHERE id > :after AND deleted_at IS NULL
ORDER BY id LIMIT :limit

-- name: every_note (postgresql)
SELECT id AS ref_id, org_id, team_id, title, body AS text FROM notes
WHERE id > :after AND deleted_at IS NULL
ORDER BY id LIMIT :limit
FOR SHARE

-- name: held_by_team
SELECT id FROM notes
WHERE team_id = :team_id AND visibility IN ('team', 'private') AND deleted_at IS NULL
LIMIT 1

-- name: move_to_team
-- What was made from a sample is none in the other team, which may have its own.
UPDATE notes SET team_id = :target, sample = NULL
WHERE team_id = :source AND visibility IN ('team', 'private') AND org_id = :org_id AND deleted_at IS NULL

-- name: move_bin
UPDATE notes SET team_id = :target
WHERE team_id = :source AND visibility IN ('team', 'private') AND org_id = :org_id AND deleted_at IS NOT NULL
