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

-- name: shown_term [part]
SELECT terms.id, terms.target, terms.term, terms.translation, terms.note, terms.created_at, terms.updated_at,
    terms.updated_by, people.display_name AS updated_by_name
FROM glossary_terms AS terms JOIN published_people AS people ON people.id = terms.updated_by

-- name: term [quick]
-- use: shown_term
WHERE terms.id = :id AND terms.team_id = :team_id

-- name: terms_of_team
-- use: shown_term
WHERE terms.team_id = :team_id AND terms.id < :before
ORDER BY terms.id DESC LIMIT :limit

-- name: terms_of_target
-- use: shown_term
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
