-- name: text_of [quick]
SELECT text, number FROM object_texts WHERE object_id = :id AND org_id = :org_id

-- name: current_text [quick]
-- The newest version, and its text where that is indexed: in one snapshot, so that they belong together.
SELECT objects.text_status AS status, versions.number, texts.text
FROM objects
JOIN object_versions AS versions ON versions.id = objects.newest_id
LEFT JOIN object_texts AS texts ON texts.object_id = objects.id AND objects.text_status = 'indexed'
WHERE objects.id = :id AND objects.org_id = :org_id AND objects.present = 1

-- name: save_text
INSERT INTO object_texts (object_id, org_id, number, text) VALUES (:id, :org_id, :number, :text)
ON CONFLICT (object_id) DO UPDATE SET number = excluded.number, text = excluded.text

-- name: set_status
UPDATE objects SET text_status = :status WHERE id = :id AND org_id = :org_id

-- name: unread
-- What waits to be read in the caller's team, of what they can read themselves; the longest waiting first.
SELECT objects.id FROM objects
WHERE objects.team_id = :team_id AND objects.org_id = :org_id AND objects.present = 1
    AND objects.text_status IN ('pending', 'stale')
    AND (
        objects.visibility = 'team'
        OR objects.owner_id = :user_id
        OR (
            objects.visibility = 'shared'
            AND EXISTS (
                SELECT 1 FROM object_grants AS grants
                WHERE grants.object_id = objects.id AND grants.principal_id IN (:user_id, :team_id)
                    AND (grants.expires_at IS NULL OR grants.expires_at > :now)
            )
        )
    )
ORDER BY objects.id
LIMIT :limit

-- name: all_unread
-- Of every team, in an order that can be walked.
SELECT objects.id, objects.org_id, objects.team_id, objects.owner_id, objects.newest_id, versions.number
FROM objects JOIN object_versions AS versions ON versions.id = objects.newest_id
WHERE objects.text_status IN ('pending', 'stale') AND objects.present = 1
    AND (objects.team_id, objects.id) > (:team_id, :id)
ORDER BY objects.team_id, objects.id
LIMIT :limit
