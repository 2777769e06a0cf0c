-- name: digest_of [quick]
SELECT digest FROM search_documents WHERE type = :type AND ref_id = :ref_id

-- name: put_document (sqlite)
-- The words stand in a table apart, under the id of the document.
INSERT INTO search_documents (type, ref_id, org_id, team_id, title, excerpt, digest)
VALUES (:type, :ref_id, :org_id, :team_id, :title, :excerpt, :digest)
ON CONFLICT (type, ref_id) DO UPDATE
SET org_id = excluded.org_id, team_id = excluded.team_id, title = excluded.title, excerpt = excluded.excerpt,
    digest = excluded.digest;
INSERT OR REPLACE INTO search_words (rowid, title, often, body)
SELECT id, :apart_title, :apart_often, :apart_body FROM search_documents
WHERE type = :type AND ref_id = :ref_id

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

-- name: remove_document (sqlite)
DELETE FROM search_words
WHERE rowid = (SELECT id FROM search_documents WHERE type = :type AND ref_id = :ref_id);
DELETE FROM search_documents WHERE type = :type AND ref_id = :ref_id

-- name: remove_document (postgresql)
DELETE FROM search_documents WHERE type = :type AND ref_id = :ref_id

-- name: find (sqlite) [long]
-- Each tier finds what no better one finds, from its newest on, and only as far as the page needs: the index
-- is walked backwards, hit by hit, and each hit is judged as it comes. A LIMIT keeps each in its order.
-- A beginning of a word is dear to look for: the better tiers do so only where the whole words are there.
SELECT hit.id, hit.type, hit.ref_id, hit.team_id, hit.title, hit.excerpt, ranked.tier
FROM (
    SELECT id, 4 AS tier FROM (
        SELECT rowid AS id FROM search_words
        WHERE search_words MATCH CASE
                WHEN :exact_4 IS NULL
                    OR EXISTS (SELECT 1 FROM search_words WHERE search_words MATCH :exact_4) THEN :fts_4
                ELSE '""'
            END
            AND rowid < :before_4
        ORDER BY rowid DESC LIMIT -1
    )
    UNION ALL
    SELECT id, 3 FROM (
        SELECT rowid AS id FROM search_words
        WHERE search_words MATCH CASE
                WHEN :exact_3 IS NULL
                    OR EXISTS (SELECT 1 FROM search_words WHERE search_words MATCH :exact_3) THEN :fts_3
                ELSE '""'
            END
            AND rowid < :before_3
        ORDER BY rowid DESC LIMIT -1
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
-- What many documents hold is found among the company's newest at once: each of these is scored, as far as their
-- words are not too long to be read one by one. Whatever is older is asked of the indexes, tier by tier, and only
-- as far as the page needs. IS NOT TRUE and `id + 0` keep a condition from being asked of an index;
-- LATERAL looks the hits up one by one, in the order in which they come.
WITH asked AS MATERIALIZED (
    SELECT
        CAST(CAST(:ts_matching AS TEXT) AS TSQUERY) AS matching,
        CAST(CAST(:ts_every AS TEXT) AS TSQUERY) AS every_word,
        CAST(CAST(:ts_any AS TEXT) AS TSQUERY) AS any_word,
        CAST(CAST(:ts_unwanted AS TEXT) AS TSQUERY) AS unwanted
),
newest AS MATERIALIZED (
    SELECT
        sized.id,
        CASE
            WHEN (sized.words @@ asked.matching) IS NOT TRUE THEN 0
            WHEN sized.title_words @@ asked.every_word THEN 4
            WHEN sized.often_words @@ asked.every_word THEN 3
            WHEN sized.title_words @@ asked.any_word THEN 2
            ELSE 1
        END AS tier
    FROM (
        SELECT id, title_words, often_words, words, SUM(pg_column_size(words)) OVER (ORDER BY id DESC) AS read
        FROM search_documents WHERE org_id = :org_id ORDER BY id DESC LIMIT 200
    ) AS sized
    CROSS JOIN asked
    WHERE sized.read <= 400000
),
older AS MATERIALIZED (SELECT COALESCE(MIN(id), 9223372036854775807) AS than FROM newest)
SELECT hit.id, hit.type, hit.ref_id, hit.team_id, hit.title, hit.excerpt, ranked.tier
FROM (
    (SELECT id, 4 AS tier FROM newest WHERE tier = 4 AND id < :before_4 ORDER BY id DESC)
    UNION ALL
    (
        SELECT id, 4 FROM search_documents CROSS JOIN asked
        WHERE org_id = :org_id AND id + 0 < LEAST(:before_4, (SELECT than FROM older))
            AND title_words @@ CAST(CAST(:ts_every AS TEXT) AS TSQUERY)
            AND (CAST(:ts_unwanted AS TEXT) = '' OR (words @@ asked.unwanted) IS NOT TRUE)
        ORDER BY id + 0 DESC
    )
    UNION ALL
    (SELECT id, 3 FROM newest WHERE tier = 3 AND id < :before_3 ORDER BY id DESC)
    UNION ALL
    (
        SELECT id, 3 FROM search_documents CROSS JOIN asked
        WHERE org_id = :org_id AND id + 0 < LEAST(:before_3, (SELECT than FROM older))
            AND often_words @@ CAST(CAST(:ts_every AS TEXT) AS TSQUERY)
            AND (title_words @@ asked.every_word) IS NOT TRUE
            AND (CAST(:ts_unwanted AS TEXT) = '' OR (words @@ asked.unwanted) IS NOT TRUE)
        ORDER BY id + 0 DESC
    )
    UNION ALL
    (SELECT id, 2 FROM newest WHERE tier = 2 AND id < :before_2 ORDER BY id DESC)
    UNION ALL
    (
        SELECT id, 2 FROM search_documents CROSS JOIN asked
        WHERE org_id = :org_id AND id + 0 < LEAST(:before_2, (SELECT than FROM older))
            AND words @@ CAST(CAST(:ts_matching AS TEXT) AS TSQUERY)
            AND title_words @@ CAST(CAST(:ts_any AS TEXT) AS TSQUERY)
            AND (often_words @@ asked.every_word) IS NOT TRUE
        ORDER BY id + 0 DESC
    )
    UNION ALL
    (SELECT id, 1 FROM newest WHERE tier = 1 AND id < :before_1 ORDER BY id DESC)
    UNION ALL
    (
        SELECT id, 1 FROM search_documents CROSS JOIN asked
        WHERE org_id = :org_id AND id + 0 < LEAST(:before_1, (SELECT than FROM older))
            AND words @@ CAST(CAST(:ts_matching AS TEXT) AS TSQUERY)
            AND (often_words @@ asked.every_word) IS NOT TRUE
            AND (title_words @@ asked.any_word) IS NOT TRUE
        ORDER BY id + 0 DESC
    )
    OFFSET 0
) AS ranked
CROSS JOIN LATERAL (
    SELECT id, type, ref_id, org_id, team_id, title, excerpt FROM search_documents WHERE id = ranked.id OFFSET 0
) AS hit
WHERE (1 = 0 /* readable */)
LIMIT :limit

-- name: find_among (sqlite) [long]
-- What somebody could read is little: each of these is looked up in the index, and judged like any other hit.
SELECT hit.id, hit.type, hit.ref_id, hit.team_id, hit.title, hit.excerpt, ranked.tier
FROM (
    SELECT among.id,
        CASE
            WHEN EXISTS (SELECT 1 FROM search_words WHERE search_words MATCH :fts_4 AND rowid = among.id) THEN 4
            WHEN EXISTS (SELECT 1 FROM search_words WHERE search_words MATCH :fts_3 AND rowid = among.id) THEN 3
            WHEN EXISTS (SELECT 1 FROM search_words WHERE search_words MATCH :fts_2 AND rowid = among.id) THEN 2
            ELSE 1
        END AS tier
    FROM (
        SELECT DISTINCT CAST(given.value AS INTEGER) AS id FROM json_each(:among) AS given
        WHERE EXISTS (
            SELECT 1 FROM search_words
            WHERE search_words MATCH :fts_all AND rowid = CAST(given.value AS INTEGER)
        )
    ) AS among
) AS ranked
CROSS JOIN search_documents AS hit
WHERE hit.id = ranked.id AND hit.org_id = :org_id AND (1 = 0 /* readable */)
    AND (ranked.tier < :tier OR (ranked.tier = :tier AND hit.id < :before))
ORDER BY ranked.tier DESC, hit.id DESC
LIMIT :limit

-- name: find_among (postgresql) [long]
WITH asked AS MATERIALIZED (
    SELECT
        CAST(CAST(:ts_matching AS TEXT) AS TSQUERY) AS matching,
        CAST(CAST(:ts_every AS TEXT) AS TSQUERY) AS every_word,
        CAST(CAST(:ts_any AS TEXT) AS TSQUERY) AS any_word
),
ranked AS MATERIALIZED (
    SELECT
        among.id,
        CASE
            WHEN among.title_words @@ asked.every_word THEN 4
            WHEN among.often_words @@ asked.every_word THEN 3
            WHEN among.title_words @@ asked.any_word THEN 2
            ELSE 1
        END AS tier
    FROM (
        SELECT DISTINCT CAST(value AS BIGINT) AS id
        FROM jsonb_array_elements_text(CAST(:among AS JSONB)) AS given (value)
    ) AS given
    CROSS JOIN LATERAL (
        SELECT id, title_words, often_words, words FROM search_documents
        WHERE id = given.id AND org_id = :org_id OFFSET 0
    ) AS among
    CROSS JOIN asked
    WHERE (among.words @@ asked.matching) IS TRUE
)
SELECT hit.id, hit.type, hit.ref_id, hit.team_id, hit.title, hit.excerpt, ranked.tier
FROM ranked
CROSS JOIN LATERAL (
    SELECT id, type, ref_id, org_id, team_id, title, excerpt FROM search_documents WHERE id = ranked.id OFFSET 0
) AS hit
WHERE (1 = 0 /* readable */)
    AND (ranked.tier < :tier OR (ranked.tier = :tier AND hit.id < :before))
ORDER BY ranked.tier DESC, hit.id DESC
LIMIT :limit

-- name: readable_among (sqlite) [long]
-- Of documents that were found by something else than their words, those that the caller may read.
SELECT hit.id, hit.type, hit.ref_id, hit.team_id, hit.title, hit.excerpt
FROM json_each(:among) AS given
CROSS JOIN search_documents AS hit
WHERE hit.type = json_extract(given.value, '$[0]') AND hit.ref_id = json_extract(given.value, '$[1]')
    AND hit.org_id = :org_id AND (1 = 0 /* readable */)

-- name: readable_among (postgresql) [long]
SELECT hit.id, hit.type, hit.ref_id, hit.team_id, hit.title, hit.excerpt
FROM json_array_elements(CAST(CAST(:among AS TEXT) AS JSON)) AS given (value)
CROSS JOIN LATERAL (
    SELECT id, type, ref_id, org_id, team_id, title, excerpt FROM search_documents
    WHERE type = given.value ->> 0 AND ref_id = given.value ->> 1 OFFSET 0
) AS hit
WHERE hit.org_id = :org_id AND (1 = 0 /* readable */)

-- name: few_documents
-- Of one source; the documents of what it gives, as far as they are in the index.
SELECT few.ref_id, document.id
FROM (
    SELECT '' AS ref_id WHERE 1 = 0 /* few */
) AS few
LEFT JOIN search_documents AS document ON document.type = :type AND document.ref_id = few.ref_id

-- name: progress [quick]
SELECT after_id, done FROM search_progress WHERE type = :type

-- name: set_progress
INSERT INTO search_progress (type, after_id, done) VALUES (:type, :after_id, :done)
ON CONFLICT (type) DO UPDATE SET after_id = excluded.after_id, done = excluded.done

-- name: count_documents
SELECT type, COUNT(*) FROM search_documents GROUP BY type

-- name: count_segments (sqlite)
WITH RECURSIVE segments (id) AS (
    SELECT MIN(segid) FROM search_words_idx
    UNION ALL
    SELECT (SELECT MIN(segid) FROM search_words_idx WHERE segid > segments.id) FROM segments WHERE id IS NOT NULL
)
SELECT COUNT(id) FROM segments

-- name: count_segments (postgresql)
SELECT 0

-- name: count_changes (sqlite)
SELECT total_changes()

-- name: count_changes (postgresql)
SELECT 0

-- name: merge (sqlite)
INSERT INTO search_words (search_words, rank) VALUES ('merge', :pages)

-- name: merge (postgresql)
SELECT CAST(:pages AS INTEGER)

-- name: count_of_types
SELECT COUNT(*) AS many FROM search_documents WHERE type IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: drop_words_of_types (sqlite)
DELETE FROM search_words WHERE rowid IN (
    SELECT id FROM search_documents WHERE type IN (SELECT value FROM json_each(:names))
)

-- name: drop_words_of_types (postgresql)
-- They stand in the document's own row.
SELECT CAST(:names AS TEXT)

-- name: drop_documents_of_types
DELETE FROM search_documents WHERE type IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: drop_progress_of_types
DELETE FROM search_progress WHERE type IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: move_to_team
UPDATE search_documents SET team_id = :target WHERE team_id = :source AND org_id = :org_id
