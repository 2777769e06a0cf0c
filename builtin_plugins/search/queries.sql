-- name: digest_of [quick]
SELECT digest FROM search_documents WHERE type = :type AND ref_id = :ref_id

-- name: put_document (sqlite) [quick]
INSERT INTO search_documents (type, ref_id, org_id, team_id, title, excerpt, digest)
VALUES (:type, :ref_id, :org_id, :team_id, :title, :excerpt, :digest)
ON CONFLICT (type, ref_id) DO UPDATE
SET org_id = excluded.org_id, team_id = excluded.team_id, title = excluded.title, excerpt = excluded.excerpt,
    digest = excluded.digest
RETURNING id, 1 AS words_apart

-- name: put_document (postgresql)
-- A place between title and text stays empty: no phrase spans both. Places count to 16383 there.
WITH title AS (
    SELECT CAST(COALESCE(string_agg('''' || word || ''':' || places, ' '), '') AS TSVECTOR) AS words
    FROM (
        SELECT word, string_agg(CAST(LEAST(place, 16383) AS TEXT), ',') AS places
        FROM unnest(string_to_array(CAST(:title_words AS TEXT), ' ')) WITH ORDINALITY AS one (word, place)
        GROUP BY word
    ) AS placed
),
body AS (
    SELECT CAST(COALESCE(string_agg('''' || word || ''':' || places, ' '), '') AS TSVECTOR) AS words
    FROM (
        SELECT word, string_agg(CAST(LEAST(place + 1, 16383) AS TEXT), ',') AS places
        FROM unnest(string_to_array(CAST(:body_words AS TEXT), ' ')) WITH ORDINALITY AS one (word, place)
        GROUP BY word
    ) AS placed
)
INSERT INTO search_documents (
    type, ref_id, org_id, team_id, title, excerpt, digest, title_words, often_words, words
)
SELECT
    CAST(:type AS TEXT), CAST(:ref_id AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT),
    CAST(:title AS TEXT), CAST(:excerpt AS TEXT), CAST(:digest AS TEXT), title.words,
    title.words || array_to_tsvector(string_to_array(CAST(:often_words AS TEXT), ' ')),
    title.words || body.words
FROM title CROSS JOIN body
ON CONFLICT (type, ref_id) DO UPDATE
SET org_id = excluded.org_id, team_id = excluded.team_id, title = excluded.title, excerpt = excluded.excerpt,
    digest = excluded.digest, title_words = excluded.title_words, often_words = excluded.often_words, words = excluded.words
RETURNING id, 0 AS words_apart

-- name: put_words (sqlite)
INSERT OR REPLACE INTO search_words (rowid, title, often, body)
VALUES (:id, :title_words, :often_words, :body_words)

-- name: put_few_new_words (sqlite) [quick]
-- Of a document that was not there: the index only notes them, and writes them down with the commit.
INSERT INTO search_words (rowid, title, often, body) VALUES (:id, :title_words, :often_words, :body_words)

-- name: put_few_new_words (postgresql)
SELECT 1

-- name: put_words (postgresql)
-- They stand in the document's own row.
SELECT 1

-- name: remove_document (sqlite)
DELETE FROM search_documents WHERE type = :type AND ref_id = :ref_id RETURNING id, 1 AS words_apart

-- name: remove_document (postgresql)
DELETE FROM search_documents WHERE type = :type AND ref_id = :ref_id RETURNING id, 0 AS words_apart

-- name: remove_words (sqlite)
DELETE FROM search_words WHERE rowid = :id

-- name: remove_words (postgresql)
SELECT 1

-- name: find (sqlite) [long]
-- Each tier finds what no better one finds, from its newest on, and only as far as the page needs: the index
-- is walked backwards, hit by hit, and each hit is judged as it comes. A LIMIT keeps each in its order.
SELECT hit.id, hit.type, hit.ref_id, hit.team_id, hit.title, hit.excerpt, ranked.tier
FROM (
    SELECT id, 4 AS tier FROM (
        SELECT rowid AS id FROM search_words
        WHERE search_words MATCH :fts_4 AND rowid < :before_4 ORDER BY rowid DESC LIMIT -1
    )
    UNION ALL
    SELECT id, 3 FROM (
        SELECT rowid AS id FROM search_words
        WHERE search_words MATCH :fts_3 AND rowid < :before_3 ORDER BY rowid DESC LIMIT -1
    )
    UNION ALL
    SELECT id, 2 FROM (
        SELECT rowid AS id FROM search_words
        WHERE search_words MATCH :fts_2 AND rowid < :before_2 ORDER BY rowid DESC LIMIT -1
    )
    UNION ALL
    SELECT id, 1 FROM (
        SELECT rowid AS id FROM search_words
        WHERE search_words MATCH :fts_1 AND rowid < :before_1 ORDER BY rowid DESC LIMIT -1
    )
) AS ranked
CROSS JOIN search_documents AS hit
WHERE hit.id = ranked.id AND hit.org_id = :org_id AND (1 = 0 /* readable */)
LIMIT :limit

-- name: find (postgresql) [long]
-- OFFSET 0 keeps the tier from being worked out anew wherever it is named, and the question for each row.
SELECT document.id, document.type, document.ref_id, document.team_id, document.title, document.excerpt, page.tier
FROM (
    SELECT hit.id, hit.tier
    FROM (
        SELECT scored.id, scored.type, scored.ref_id, scored.tier
        FROM (
            SELECT id, type, ref_id,
                CASE
                    WHEN title_words @@ asked.every_word THEN 4
                    WHEN often_words @@ asked.every_word THEN 3
                    WHEN title_words @@ asked.any_word THEN 2
                    ELSE 1
                END AS tier
            FROM search_documents
            CROSS JOIN (
                SELECT
                    CAST(CAST(:ts_every AS TEXT) AS TSQUERY) AS every_word,
                    CAST(CAST(:ts_any AS TEXT) AS TSQUERY) AS any_word
                OFFSET 0
            ) AS asked
            WHERE words @@ CAST(CAST(:ts_matching AS TEXT) AS TSQUERY) AND org_id = :org_id
            OFFSET 0
        ) AS scored
        WHERE scored.tier < :tier OR (scored.tier = :tier AND scored.id < :before)
        ORDER BY scored.tier DESC, scored.id DESC
    ) AS hit
    WHERE (1 = 0 /* readable */)
    ORDER BY hit.tier DESC, hit.id DESC
    LIMIT :limit
) AS page
JOIN search_documents AS document ON document.id = page.id
ORDER BY page.tier DESC, page.id DESC

-- name: progress [quick]
SELECT after_id, done FROM search_progress WHERE type = :type

-- name: set_progress
INSERT INTO search_progress (type, after_id, done) VALUES (:type, :after_id, :done)
ON CONFLICT (type) DO UPDATE SET after_id = excluded.after_id, done = excluded.done

-- name: count_documents
SELECT type, COUNT(*) FROM search_documents GROUP BY type
