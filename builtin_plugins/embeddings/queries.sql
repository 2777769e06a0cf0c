-- name: queue [quick]
-- The text is another one now: whoever reads it at the moment reads for nobody.
INSERT INTO embedding_queue (type, ref_id, org_id, team_id, token, due_at, attempts)
VALUES (:type, :ref_id, :org_id, :team_id, :token, :now, 0)
ON CONFLICT (type, ref_id) DO UPDATE
SET org_id = excluded.org_id, team_id = excluded.team_id, token = excluded.token, due_at = excluded.due_at, attempts = 0

-- name: queue_old
-- What was there before, unless it is known.
INSERT INTO embedding_queue (type, ref_id, org_id, team_id, token, due_at, attempts)
SELECT CAST(:type AS TEXT), CAST(:ref_id AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT),
    CAST(:token AS TEXT), CAST(:now AS BIGINT), 0
WHERE NOT EXISTS (SELECT 1 FROM embedding_passages WHERE type = :type AND ref_id = :ref_id)
ON CONFLICT (type, ref_id) DO NOTHING

-- name: unqueue [quick]
DELETE FROM embedding_queue WHERE type = :type AND ref_id = :ref_id

-- name: drop_passages
DELETE FROM embedding_passages WHERE type = :type AND ref_id = :ref_id
RETURNING id, org_id

-- name: teams_waiting
-- The team that waits longest first.
SELECT team_id, org_id, MIN(due_at) AS due_at FROM embedding_queue WHERE due_at <= :now GROUP BY team_id, org_id
ORDER BY MIN(due_at), team_id LIMIT :limit

-- name: claim (sqlite)
-- Until then nobody else takes them; whoever is killed meanwhile leaves them to the next.
UPDATE embedding_queue SET due_at = :until, attempts = attempts + 1
WHERE (type, ref_id) IN (
    SELECT type, ref_id FROM embedding_queue WHERE team_id = :team_id AND org_id = :org_id AND due_at <= :now
    ORDER BY due_at, type, ref_id LIMIT :limit
)
RETURNING type, ref_id, team_id, token, attempts

-- name: claim (postgresql)
UPDATE embedding_queue SET due_at = :until, attempts = attempts + 1
WHERE (type, ref_id) IN (
    SELECT type, ref_id FROM embedding_queue WHERE team_id = :team_id AND org_id = :org_id AND due_at <= :now
    ORDER BY due_at, type, ref_id LIMIT :limit FOR UPDATE SKIP LOCKED
)
RETURNING type, ref_id, team_id, token, attempts

-- name: hold
-- But for what was put off meanwhile, or is due again.
UPDATE embedding_queue SET due_at = :until
WHERE type = :type AND ref_id = :ref_id AND token = :token AND due_at > :now AND due_at < :until

-- name: put_off
UPDATE embedding_queue SET due_at = :until, attempts = attempts - :returned
WHERE type = :type AND ref_id = :ref_id AND token = :token

-- name: finish_queued
DELETE FROM embedding_queue WHERE type = :type AND ref_id = :ref_id AND token = :token
RETURNING token

-- name: built
-- How many passages stand there of a reading that was broken off.
SELECT COUNT(*) AS many FROM embedding_passages
WHERE type = :type AND ref_id = :ref_id AND build = :token AND space_id = :space_id

-- name: ids_of_other_builds
SELECT id FROM embedding_passages
WHERE type = :type AND ref_id = :ref_id AND build IS NOT NULL AND (build <> :token OR space_id <> :space_id)

-- name: drop_other_builds
DELETE FROM embedding_passages
WHERE type = :type AND ref_id = :ref_id AND build IS NOT NULL AND (build <> :token OR space_id <> :space_id)

-- name: insert_passage
INSERT INTO embedding_passages (
    org_id, team_id, space_id, type, ref_id, ordinal, build, title, text, heading, page, sheet, line, code, vector
) VALUES (
    :org_id, :team_id, :space_id, :type, :ref_id, :ordinal, :build, :title, :text, :heading, :page, :sheet, :line,
    :code, :vector
)
RETURNING id

-- name: ids_before
SELECT id FROM embedding_passages
WHERE type = :type AND ref_id = :ref_id AND (build IS NULL OR build <> :token)

-- name: drop_before
DELETE FROM embedding_passages
WHERE type = :type AND ref_id = :ref_id AND (build IS NULL OR build <> :token)

-- name: show_build
UPDATE embedding_passages SET build = NULL WHERE type = :type AND ref_id = :ref_id AND build = :token

-- name: space_of [quick]
SELECT id, model, executor, dimensions, mean, floor FROM embedding_spaces WHERE model = :model

-- name: insert_space
INSERT INTO embedding_spaces (model, executor, dimensions, mean, floor)
VALUES (:model, :executor, :dimensions, :mean, :floor)
ON CONFLICT (model) DO NOTHING

-- name: spaces_of_org [quick]
SELECT DISTINCT space.id, space.model, space.executor, space.dimensions, space.mean, space.floor
FROM embedding_team_spaces AS used
JOIN embedding_spaces AS space ON space.id = used.space_id
WHERE used.org_id = :org_id
ORDER BY space.id DESC

-- name: use_space [quick]
INSERT INTO embedding_team_spaces (team_id, space_id, org_id) VALUES (:team_id, :space_id, :org_id)
ON CONFLICT (team_id, space_id) DO NOTHING

-- name: leave_space
DELETE FROM embedding_team_spaces WHERE team_id = :team_id AND space_id = :space_id
    AND NOT EXISTS (SELECT 1 FROM embedding_passages WHERE team_id = :team_id AND space_id = :space_id)

-- name: teams_using
SELECT used.team_id, used.org_id, used.space_id, space.model FROM embedding_team_spaces AS used
JOIN embedding_spaces AS space ON space.id = used.space_id
WHERE used.team_id > :after
ORDER BY used.team_id, used.space_id LIMIT :limit

-- name: outdated
SELECT id, type, ref_id, ordinal, title, text, heading, page, sheet, line FROM embedding_passages
WHERE team_id = :team_id AND space_id = :space_id AND build IS NULL
ORDER BY id LIMIT :limit

-- name: still_outdated
SELECT id FROM embedding_passages
WHERE id IN (
    SELECT CAST(value AS INTEGER) FROM json_each(:ids) -- (sqlite)
    SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) -- (postgresql)
)
    AND org_id = :org_id AND space_id = :space_id AND build IS NULL
    FOR UPDATE -- (postgresql)

-- name: drop_by_ids
DELETE FROM embedding_passages
WHERE org_id = :org_id AND id IN (
    SELECT CAST(value AS INTEGER) FROM json_each(:ids) -- (sqlite)
    SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) -- (postgresql)
)

-- name: more_codes [quick]
SELECT 1 AS more FROM embedding_passages
WHERE org_id = :org_id AND space_id = :space_id AND id > :after
LIMIT 1

-- name: codes [long]
SELECT id, code FROM embedding_passages
WHERE org_id = :org_id AND space_id = :space_id AND id > :after
ORDER BY id LIMIT :limit

-- name: ids_of_documents (sqlite) [long]
SELECT passage.id
FROM json_each(:documents) AS given
CROSS JOIN embedding_passages AS passage INDEXED BY embedding_passages_of_document
    ON passage.type = json_extract(given.value, '$[0]') AND passage.ref_id = json_extract(given.value, '$[1]')
WHERE passage.org_id = :org_id AND passage.space_id = :space_id
LIMIT :limit

-- name: ids_of_documents (postgresql) [long]
-- LATERAL looks the documents up one by one; in the order of ids a company's whole space would be read.
SELECT passage.id
FROM json_array_elements(CAST(CAST(:documents AS TEXT) AS JSON)) AS given (value)
CROSS JOIN LATERAL (
    SELECT id, org_id, space_id FROM embedding_passages
    WHERE type = given.value ->> 0 AND ref_id = given.value ->> 1 OFFSET 0
) AS passage
WHERE passage.org_id = :org_id AND passage.space_id = :space_id
LIMIT :limit

-- name: details (sqlite) [long]
-- Of those that are found: neither being built, nor of a text that has changed since.
SELECT passage.id, passage.type, passage.ref_id, passage.vector
FROM json_each(:ids) AS given
CROSS JOIN embedding_passages AS passage
WHERE passage.id = CAST(given.value AS INTEGER)
    AND passage.org_id = :org_id AND passage.space_id = :space_id AND passage.build IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM embedding_queue AS queued
        WHERE queued.type = passage.type AND queued.ref_id = passage.ref_id
    )

-- name: details (postgresql) [long]
SELECT passage.id, passage.type, passage.ref_id, passage.vector
FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) AS given (value)
CROSS JOIN LATERAL (
    SELECT id, type, ref_id, vector, org_id, space_id, build FROM embedding_passages
    WHERE id = CAST(given.value AS BIGINT) OFFSET 0
) AS passage
WHERE passage.org_id = :org_id AND passage.space_id = :space_id AND passage.build IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM embedding_queue AS queued
        WHERE queued.type = passage.type AND queued.ref_id = passage.ref_id OFFSET 0
    )

-- name: texts
SELECT id, text, heading, page, sheet, line FROM embedding_passages
WHERE org_id = :org_id AND build IS NULL AND id IN (
    SELECT CAST(value AS INTEGER) FROM json_each(:ids) -- (sqlite)
    SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(CAST(:ids AS TEXT) AS JSON)) -- (postgresql)
)

-- name: progress [quick]
SELECT after_id, done FROM embedding_progress WHERE type = :type

-- name: set_progress
INSERT INTO embedding_progress (type, after_id, done) VALUES (:type, :after_id, :done)
ON CONFLICT (type) DO UPDATE SET after_id = excluded.after_id, done = excluded.done

-- name: any_progress
SELECT 1 AS one FROM embedding_progress LIMIT 1

-- name: begin_anew
DELETE FROM embedding_progress

-- name: drop_passages_of_types
DELETE FROM embedding_passages WHERE type IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: count_passages_of_types
SELECT COUNT(*) AS many FROM embedding_passages WHERE type IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: drop_queue_of_types
DELETE FROM embedding_queue WHERE type IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: drop_progress_of_types
DELETE FROM embedding_progress WHERE type IN (
    SELECT value FROM json_each(:names) -- (sqlite)
    SELECT value FROM json_array_elements_text(CAST(CAST(:names AS TEXT) AS JSON)) -- (postgresql)
)

-- name: count_passages
SELECT COUNT(*) AS many FROM embedding_passages WHERE build IS NULL

-- name: count_waiting
SELECT COUNT(*) AS many FROM embedding_queue

-- name: first_member
SELECT user_id FROM published_memberships WHERE team_id = :team_id ORDER BY created_at, user_id LIMIT 1

-- name: move_passages
UPDATE embedding_passages SET team_id = :target WHERE team_id = :source AND org_id = :org_id

-- name: move_queue
UPDATE embedding_queue SET team_id = :target WHERE team_id = :source AND org_id = :org_id

-- name: move_spaces
INSERT INTO embedding_team_spaces (team_id, space_id, org_id)
SELECT :target, space_id, org_id FROM embedding_team_spaces WHERE team_id = :source AND org_id = :org_id
ON CONFLICT (team_id, space_id) DO NOTHING

-- name: forget_spaces
DELETE FROM embedding_team_spaces WHERE team_id = :source AND org_id = :org_id
