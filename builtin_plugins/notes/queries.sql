-- name: insert_note
INSERT INTO notes (
    id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body, title_key, tags,
    version_at, version_by
)
VALUES (
    :id, :org_id, :team_id, :owner_id, :visibility, 1, :now, :now, :size, :title, :body, :title_key, :tags,
    :now, :owner_id
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

-- name: keep_version
INSERT INTO note_versions (note_id, number, org_id, created_at, created_by, size, title, tags, body)
SELECT id, version, org_id, version_at, COALESCE(version_by, owner_id), size, title, tags, body
FROM notes WHERE id = :id AND org_id = :org_id

-- name: begin_version
UPDATE notes SET version = version + 1, version_at = :now, version_by = :user_id
WHERE id = :id AND org_id = :org_id

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

-- name: page
-- Four ways to see a note, each a walk down its own index; the newest of them all make the page,
-- which ends early where the texts would grow too large. `candidates` tells whether more follow.
SELECT
    notes.id, notes.org_id, notes.team_id, notes.owner_id, notes.visibility, notes.revision,
    notes.created_at, notes.updated_at, notes.title, notes.body, notes.tags, notes.version, notes.version_at,
    notes.version_by, notes.deleted_at,
    owners.display_name AS owner_name, note_shares.permission AS shared_permission, page.candidates
FROM (
    SELECT
        sized.id,
        COUNT(*) OVER () AS candidates,
        SUM(sized.size) OVER (ORDER BY sized.id DESC) - sized.size AS bytes_before
    FROM (
        SELECT id FROM (
            SELECT id FROM notes
            WHERE team_id = :team_id AND visibility = 'team' AND deleted_at IS NULL AND id < :before
            ORDER BY id DESC LIMIT :limit
        ) AS of_team
        UNION
        SELECT id FROM (
            SELECT id FROM notes
            WHERE owner_id = :user_id AND team_id = :team_id AND deleted_at IS NULL AND id < :before
            ORDER BY id DESC LIMIT :limit
        ) AS own
        UNION
        SELECT id FROM (
            SELECT note_shares.note_id AS id
            FROM note_shares JOIN notes ON notes.id = note_shares.note_id
            WHERE note_shares.user_id = :user_id AND note_shares.org_id = :org_id
                AND note_shares.note_id < :before AND notes.deleted_at IS NULL
            ORDER BY note_shares.note_id DESC LIMIT :limit
        ) AS shared
        UNION
        SELECT id FROM (
            SELECT id FROM notes
            WHERE CAST(:across_company AS INTEGER) = 1
                AND org_id = :org_id AND visibility = 'team' AND deleted_at IS NULL AND id < :before
            ORDER BY id DESC LIMIT :limit
        ) AS of_company
        ORDER BY id DESC LIMIT :limit
    ) AS newest
    JOIN notes AS sized ON sized.id = newest.id
) AS page
JOIN notes ON notes.id = page.id
JOIN published_people AS owners ON owners.id = notes.owner_id
LEFT JOIN note_shares ON note_shares.note_id = notes.id AND note_shares.user_id = :user_id
WHERE page.bytes_before < :max_bytes
ORDER BY notes.id DESC

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

-- name: found_by_created
-- The ids of a page, the newest first; each way to see a note is a walk down its own index.
SELECT id, size FROM (
    SELECT id, size FROM (
        SELECT id, size FROM notes
        WHERE team_id = :team_id AND visibility = 'team' AND deleted_at IS NULL AND id < :last
        ORDER BY id DESC LIMIT :limit
    ) AS of_team
    UNION
    SELECT id, size FROM (
        SELECT id, size FROM notes
        WHERE owner_id = :user_id AND team_id = :team_id AND deleted_at IS NULL AND id < :last
        ORDER BY id DESC LIMIT :limit
    ) AS own
    UNION
    SELECT id, size FROM (
        SELECT notes.id, notes.size
        FROM note_shares JOIN notes ON notes.id = note_shares.note_id
        WHERE note_shares.user_id = :user_id AND note_shares.org_id = :org_id
            AND note_shares.note_id < :last AND notes.deleted_at IS NULL
        ORDER BY note_shares.note_id DESC LIMIT :limit
    ) AS shared
    UNION
    SELECT id, size FROM (
        SELECT id, size FROM notes
        WHERE CAST(:across_company AS INTEGER) = 1
            AND org_id = :org_id AND visibility = 'team' AND deleted_at IS NULL AND id < :last
        ORDER BY id DESC LIMIT :limit
    ) AS of_company
) AS found
ORDER BY id DESC
LIMIT :limit

-- name: found_by_updated
-- The ids of a page, those that changed last first; each way to see a note is a walk down its own index.
SELECT id, position, size FROM (
    SELECT id, position, size FROM (
        SELECT id, updated_at AS position, size FROM notes
        WHERE team_id = :team_id AND visibility = 'team' AND deleted_at IS NULL
            AND (updated_at, id) < (:position, :last)
        ORDER BY updated_at DESC, id DESC LIMIT :limit
    ) AS of_team
    UNION
    SELECT id, position, size FROM (
        SELECT id, updated_at AS position, size FROM notes
        WHERE owner_id = :user_id AND team_id = :team_id AND deleted_at IS NULL
            AND (updated_at, id) < (:position, :last)
        ORDER BY updated_at DESC, id DESC LIMIT :limit
    ) AS own
    UNION
    SELECT id, position, size FROM (
        SELECT notes.id, notes.updated_at AS position, notes.size
        FROM note_shares JOIN notes ON notes.id = note_shares.note_id
        WHERE note_shares.user_id = :user_id AND note_shares.org_id = :org_id AND notes.deleted_at IS NULL
            AND (notes.updated_at, notes.id) < (:position, :last)
        ORDER BY notes.updated_at DESC, notes.id DESC LIMIT :limit
    ) AS shared
    UNION
    SELECT id, position, size FROM (
        SELECT id, updated_at AS position, size FROM notes
        WHERE CAST(:across_company AS INTEGER) = 1 AND org_id = :org_id AND visibility = 'team' AND deleted_at IS NULL
            AND (updated_at, id) < (:position, :last)
        ORDER BY updated_at DESC, id DESC LIMIT :limit
    ) AS of_company
) AS found
ORDER BY position DESC, id DESC
LIMIT :limit

-- name: found_by_title
-- The ids of a page by title.
SELECT id, position, size FROM (
    SELECT id, position, size FROM (
        SELECT id, title_key AS position, size FROM notes
        WHERE team_id = :team_id AND visibility = 'team' AND deleted_at IS NULL
            AND (title_key, id) > (:position, :last)
        ORDER BY title_key, id LIMIT :limit
    ) AS of_team
    UNION
    SELECT id, position, size FROM (
        SELECT id, title_key AS position, size FROM notes
        WHERE owner_id = :user_id AND team_id = :team_id AND deleted_at IS NULL
            AND (title_key, id) > (:position, :last)
        ORDER BY title_key, id LIMIT :limit
    ) AS own
    UNION
    SELECT id, position, size FROM (
        SELECT notes.id, notes.title_key AS position, notes.size
        FROM note_shares JOIN notes ON notes.id = note_shares.note_id
        WHERE note_shares.user_id = :user_id AND note_shares.org_id = :org_id AND notes.deleted_at IS NULL
            AND (notes.title_key, notes.id) > (:position, :last)
        ORDER BY notes.title_key, notes.id LIMIT :limit
    ) AS shared
    UNION
    SELECT id, position, size FROM (
        SELECT id, title_key AS position, size FROM notes
        WHERE CAST(:across_company AS INTEGER) = 1 AND org_id = :org_id AND visibility = 'team' AND deleted_at IS NULL
            AND (title_key, id) > (:position, :last)
        ORDER BY title_key, id LIMIT :limit
    ) AS of_company
) AS found
ORDER BY position, id
LIMIT :limit

-- name: found_in_bin
-- The ids of a page of the bin, what was deleted last first: one's own, and what one may delete.
SELECT id, position, size FROM (
    SELECT id, position, size FROM (
        SELECT id, deleted_at AS position, size FROM notes
        WHERE owner_id = :user_id AND team_id = :team_id AND deleted_at IS NOT NULL AND deleted_at > :floor
            AND (deleted_at, id) < (:position, :last)
        ORDER BY deleted_at DESC, id DESC LIMIT :limit
    ) AS own
    UNION
    SELECT id, position, size FROM (
        SELECT id, deleted_at AS position, size FROM notes
        WHERE CAST(:by_role AS INTEGER) = 1 AND team_id = :team_id AND visibility = 'team'
            AND deleted_at IS NOT NULL AND deleted_at > :floor AND (deleted_at, id) < (:position, :last)
        ORDER BY deleted_at DESC, id DESC LIMIT :limit
    ) AS of_team
    UNION
    SELECT id, position, size FROM (
        SELECT notes.id, notes.deleted_at AS position, notes.size
        FROM note_shares JOIN notes ON notes.id = note_shares.note_id
        WHERE note_shares.user_id = :user_id AND note_shares.org_id = :org_id
            AND note_shares.permission = 'notes:delete' AND notes.deleted_at IS NOT NULL
            AND notes.deleted_at > :floor AND (notes.deleted_at, notes.id) < (:position, :last)
        ORDER BY notes.deleted_at DESC, notes.id DESC LIMIT :limit
    ) AS shared
) AS found
ORDER BY position DESC, id DESC
LIMIT :limit

-- name: tagged
SELECT note_id AS id FROM note_tags WHERE org_id = :org_id AND tag = :tag LIMIT :limit

-- name: visible_of (sqlite)
-- Those of these that the caller may see, with what they are sorted by; what lies in the bin is left out afterwards,
-- so that PostgreSQL looks for ids alone.
SELECT id, size, updated_at, title_key, deleted_at FROM notes
WHERE id IN (SELECT value FROM json_each(:ids))
    AND org_id = :org_id
    AND (
        (team_id = :team_id AND (visibility = 'team' OR owner_id = :user_id))
        OR (CAST(:across_company AS INTEGER) = 1 AND visibility = 'team')
        OR EXISTS (
            SELECT 1 FROM note_shares WHERE note_shares.note_id = notes.id AND note_shares.user_id = :user_id
        )
    )

-- name: visible_of (postgresql)
SELECT id, size, updated_at, title_key, deleted_at FROM notes
WHERE id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))
    AND org_id = :org_id
    AND (
        (team_id = :team_id AND (visibility = 'team' OR owner_id = :user_id))
        OR (CAST(:across_company AS INTEGER) = 1 AND visibility = 'team')
        OR EXISTS (
            SELECT 1 FROM note_shares WHERE note_shares.note_id = notes.id AND note_shares.user_id = :user_id
        )
    )

-- name: tagged_of (sqlite)
SELECT note_id AS id FROM note_tags
WHERE tag = :tag AND note_id IN (SELECT value FROM json_each(:ids))

-- name: tagged_of (postgresql)
SELECT note_id AS id FROM note_tags
WHERE tag = :tag AND note_id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))

-- name: notes_by_id (sqlite)
SELECT
    notes.id, notes.org_id, notes.team_id, notes.owner_id, notes.visibility, notes.revision,
    notes.created_at, notes.updated_at, notes.title, notes.body, notes.tags, notes.version, notes.version_at,
    notes.version_by, notes.deleted_at,
    owners.display_name AS owner_name, note_shares.permission AS shared_permission
FROM notes
JOIN published_people AS owners ON owners.id = notes.owner_id
LEFT JOIN note_shares ON note_shares.note_id = notes.id AND note_shares.user_id = :user_id
WHERE notes.id IN (SELECT value FROM json_each(:ids)) AND notes.org_id = :org_id

-- name: notes_by_id (postgresql)
SELECT
    notes.id, notes.org_id, notes.team_id, notes.owner_id, notes.visibility, notes.revision,
    notes.created_at, notes.updated_at, notes.title, notes.body, notes.tags, notes.version, notes.version_at,
    notes.version_by, notes.deleted_at,
    owners.display_name AS owner_name, note_shares.permission AS shared_permission
FROM notes
JOIN published_people AS owners ON owners.id = notes.owner_id
LEFT JOIN note_shares ON note_shares.note_id = notes.id AND note_shares.user_id = :user_id
WHERE notes.id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON))) AND notes.org_id = :org_id
