-- name: insert_note
INSERT INTO notes (
    id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body
)
VALUES (:id, :org_id, :team_id, :owner_id, :visibility, 1, :now, :now, :size, :title, :body)

-- name: insert_sample
INSERT INTO notes (
    id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body, sample
)
VALUES (:id, :org_id, :team_id, :owner_id, 'team', 1, :now, :now, :size, :title, :body, :sample)
ON CONFLICT (team_id, sample) WHERE sample IS NOT NULL DO NOTHING
RETURNING id

-- name: count_notes
SELECT COUNT(*) FROM notes

-- name: note
-- Anything of the company by id, with what the caller was given by name; the service judges the rest.
SELECT
    notes.id, notes.org_id, notes.team_id, notes.owner_id, notes.visibility, notes.revision,
    notes.created_at, notes.updated_at, notes.title, notes.body,
    owners.display_name AS owner_name, note_shares.permission AS shared_permission
FROM notes
JOIN published_people AS owners ON owners.id = notes.owner_id
LEFT JOIN note_shares ON note_shares.note_id = notes.id AND note_shares.user_id = :user_id
WHERE notes.id = :id AND notes.org_id = :org_id

-- name: update_note
UPDATE notes
SET title = COALESCE(CAST(:title AS TEXT), title),
    body = COALESCE(CAST(:body AS TEXT), body),
    size = COALESCE(CAST(:size AS BIGINT), size),
    visibility = COALESCE(CAST(:visibility AS TEXT), visibility),
    revision = revision + 1,
    updated_at = :now
WHERE id = :id AND org_id = :org_id

-- name: delete_note
DELETE FROM notes WHERE id = :id AND org_id = :org_id

-- name: bump_revision
UPDATE notes SET revision = revision + 1 WHERE id = :id AND org_id = :org_id

-- name: page
-- Four ways to see a note, each a walk down its own index; the newest of them all make the page,
-- which ends early where the texts would grow too large. `candidates` tells whether more follow.
SELECT
    notes.id, notes.org_id, notes.team_id, notes.owner_id, notes.visibility, notes.revision,
    notes.created_at, notes.updated_at, notes.title, notes.body,
    owners.display_name AS owner_name, note_shares.permission AS shared_permission, page.candidates
FROM (
    SELECT
        sized.id,
        COUNT(*) OVER () AS candidates,
        SUM(sized.size) OVER (ORDER BY sized.id DESC) - sized.size AS bytes_before
    FROM (
        SELECT id FROM (
            SELECT id FROM notes
            WHERE team_id = :team_id AND visibility = 'team' AND id < :before
            ORDER BY id DESC LIMIT :limit
        ) AS of_team
        UNION
        SELECT id FROM (
            SELECT id FROM notes
            WHERE owner_id = :user_id AND team_id = :team_id AND id < :before
            ORDER BY id DESC LIMIT :limit
        ) AS own
        UNION
        SELECT id FROM (
            SELECT note_id AS id FROM note_shares
            WHERE user_id = :user_id AND org_id = :org_id AND note_id < :before
            ORDER BY note_id DESC LIMIT :limit
        ) AS shared
        UNION
        SELECT id FROM (
            SELECT id FROM notes
            WHERE CAST(:across_company AS INTEGER) = 1
                AND org_id = :org_id AND visibility = 'team' AND id < :before
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
WHERE notes.id = hit.ref_id AND notes.org_id = :org_id AND (
    (notes.team_id = :team_id AND (notes.owner_id = :user_id OR (:by_role = 1 AND notes.visibility = 'team')))
    OR EXISTS (
        SELECT 1 FROM note_shares WHERE note_shares.note_id = notes.id AND note_shares.user_id = :user_id
    )
)

-- name: findable_in_org
SELECT 1 FROM notes
WHERE notes.id = hit.ref_id AND notes.org_id = :org_id AND (
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
    WHERE :by_role = 1 AND team_id = :team_id AND visibility = 'team' LIMIT :limit
) AS of_team
UNION ALL
SELECT id FROM (
    SELECT id FROM notes WHERE owner_id = :user_id AND team_id = :team_id LIMIT :limit
) AS own
UNION ALL
SELECT note_id FROM (
    SELECT note_id FROM note_shares WHERE user_id = :user_id AND org_id = :org_id LIMIT :limit
) AS given
LIMIT :limit

-- name: every_note (sqlite)
SELECT id AS ref_id, org_id, team_id, title, body AS text FROM notes WHERE id > :after ORDER BY id LIMIT :limit

-- name: every_note (postgresql)
SELECT id AS ref_id, org_id, team_id, title, body AS text FROM notes WHERE id > :after ORDER BY id LIMIT :limit
FOR SHARE

-- name: held_by_team
SELECT id FROM notes WHERE team_id = :team_id LIMIT 1

-- name: move_to_team
-- What was made from a sample is none in the other team, which may have its own.
UPDATE notes SET team_id = :target, sample = NULL WHERE team_id = :source AND org_id = :org_id
