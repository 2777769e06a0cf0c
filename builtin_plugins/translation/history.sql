-- name: insert_translation
INSERT INTO translations (
    id, org_id, team_id, user_id, credential_id, source, target, model, simulated, untranslated, created_at,
    size, terms, source_text, text
)
VALUES (
    :id, :org_id, :team_id, :user_id, :credential_id, :source, :target, :model, :simulated, :untranslated,
    :created_at, :size, :terms, :source_text, :text
)

-- name: drop_oldest
-- What is older than the newest `history` of a person, or than so many bytes of them.
DELETE FROM translations
WHERE team_id = :team_id AND user_id = :user_id AND id <= (
    SELECT MAX(id) FROM (
        SELECT
            id, ROW_NUMBER() OVER (ORDER BY id DESC) AS number, SUM(size) OVER (ORDER BY id DESC) AS bytes
        FROM translations WHERE team_id = :team_id AND user_id = :user_id
    ) AS own
    WHERE own.number > :history OR own.bytes > :max_bytes
)

-- name: delete_translation [quick]
DELETE FROM translations WHERE id = :id AND team_id = :team_id AND user_id = :user_id
    AND (CAST(:credential_id AS TEXT) IS NULL OR credential_id = CAST(:credential_id AS TEXT))
RETURNING id

-- name: history
-- The caller's own texts alone are read, by a credential with a scope those that it asked for; the page ends
-- early where they would grow too large. `candidates` tells whether more follow.
SELECT
    translations.id, translations.user_id, people.display_name AS user_name, translations.source,
    translations.target, translations.model, translations.simulated, translations.untranslated,
    translations.created_at, page.own, page.candidates,
    CASE WHEN page.own = 1 THEN translations.terms END AS terms,
    CASE WHEN page.own = 1 THEN translations.source_text END AS source_text,
    CASE WHEN page.own = 1 THEN translations.text END AS text
FROM (
    SELECT
        id, own, COUNT(*) OVER () AS candidates,
        SUM(size * own) OVER (ORDER BY id DESC) - size * own AS bytes_before
    FROM (
        SELECT
            id, size,
            CASE WHEN user_id = :user_id AND (
                CAST(:credential_id AS TEXT) IS NULL OR credential_id = CAST(:credential_id AS TEXT)
            ) THEN 1 ELSE 0 END AS own
        FROM translations
        WHERE team_id = :team_id AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS newest
) AS page
JOIN translations ON translations.id = page.id
JOIN published_people AS people ON people.id = translations.user_id
WHERE page.bytes_before < :max_bytes
ORDER BY translations.id DESC

-- name: count_old
SELECT COUNT(*) AS many FROM translations WHERE id < :before_id

-- name: delete_old
-- On PostgreSQL by their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM translations WHERE id IN ( -- (sqlite)
    SELECT id -- (sqlite)
DELETE FROM translations WHERE ctid = ANY (ARRAY ( -- (postgresql)
    SELECT ctid -- (postgresql)
    FROM translations WHERE id < :before_id ORDER BY id LIMIT :limit
) -- (sqlite)
)) -- (postgresql)
RETURNING id

-- name: move_translations
UPDATE translations SET team_id = :target WHERE team_id = :source AND org_id = :org_id
