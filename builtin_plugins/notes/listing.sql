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
