-- name: glossary [quick]
SELECT version, terms FROM glossaries WHERE team_id = :team_id

-- name: change_glossary [quick]
-- Whoever changes a term begins here, and so waits for whoever else does.
INSERT INTO glossaries (team_id, version, terms) VALUES (:team_id, 1, 0)
ON CONFLICT (team_id) DO UPDATE SET version = glossaries.version + 1
RETURNING terms

-- name: count_terms [quick]
UPDATE glossaries SET terms = terms + :more WHERE team_id = :team_id

-- name: term_of_key [quick]
SELECT id, note FROM glossary_terms WHERE team_id = :team_id AND target = :target AND term_key = :term_key

-- name: insert_term [quick]
INSERT INTO glossary_terms (
    id, org_id, team_id, target, term_key, term, translation, note, updated_by, created_at, updated_at
)
VALUES (
    :id, :org_id, :team_id, :target, :term_key, :term, :translation, :note, :user_id, :now, :now
)

-- name: update_term [quick]
UPDATE glossary_terms
SET term = :term, translation = :translation, note = :note, updated_by = :user_id, updated_at = :now
WHERE id = :id AND team_id = :team_id

-- name: delete_term [quick]
DELETE FROM glossary_terms WHERE id = :id AND team_id = :team_id RETURNING target

-- name: term [quick]
SELECT terms.id, terms.target, terms.term, terms.translation, terms.note, terms.created_at, terms.updated_at,
    terms.updated_by, people.display_name AS updated_by_name
FROM glossary_terms AS terms JOIN published_people AS people ON people.id = terms.updated_by
WHERE terms.id = :id AND terms.team_id = :team_id

-- name: terms_of_team
SELECT terms.id, terms.target, terms.term, terms.translation, terms.note, terms.created_at, terms.updated_at,
    terms.updated_by, people.display_name AS updated_by_name
FROM glossary_terms AS terms JOIN published_people AS people ON people.id = terms.updated_by
WHERE terms.team_id = :team_id AND terms.id < :before
ORDER BY terms.id DESC LIMIT :limit

-- name: terms_of_target
SELECT terms.id, terms.target, terms.term, terms.translation, terms.note, terms.created_at, terms.updated_at,
    terms.updated_by, people.display_name AS updated_by_name
FROM glossary_terms AS terms JOIN published_people AS people ON people.id = terms.updated_by
WHERE terms.team_id = :team_id AND terms.target = :target AND terms.id < :before
ORDER BY terms.id DESC LIMIT :limit

-- name: terms_to_find
SELECT id, term, translation, CASE WHEN note IS NULL THEN 0 ELSE 1 END AS has_note
FROM glossary_terms
WHERE team_id = :team_id AND target = :target AND id > :after
ORDER BY id LIMIT :limit

-- name: notes_of_terms (sqlite)
SELECT id, note FROM glossary_terms
WHERE team_id = :team_id AND note IS NOT NULL AND id IN (SELECT value FROM json_each(:ids))

-- name: notes_of_terms (postgresql)
SELECT id, note FROM glossary_terms
WHERE team_id = :team_id AND note IS NOT NULL
    AND id IN (SELECT json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)))

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

-- name: held_by_team
SELECT id FROM glossary_terms WHERE team_id = :team_id LIMIT 1

-- name: open_glossary
INSERT INTO glossaries (team_id, version, terms)
SELECT CAST(:target AS TEXT), 0, 0 WHERE EXISTS (SELECT 1 FROM glossary_terms WHERE team_id = :source)
ON CONFLICT (team_id) DO NOTHING

-- name: move_terms
-- Where both have a term, that of the other team stands.
UPDATE glossary_terms SET team_id = :target
WHERE team_id = :source AND org_id = :org_id
    AND NOT EXISTS (
        SELECT 1 FROM glossary_terms AS there
        WHERE there.team_id = :target AND there.target = glossary_terms.target
            AND there.term_key = glossary_terms.term_key
    )

-- name: count_terms_anew
UPDATE glossaries SET
    version = version + 1, terms = (SELECT COUNT(*) FROM glossary_terms WHERE team_id = :target)
WHERE team_id = :target

-- name: move_translations
UPDATE translations SET team_id = :target WHERE team_id = :source AND org_id = :org_id
