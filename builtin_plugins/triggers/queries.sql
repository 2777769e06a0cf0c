-- name: matching (sqlite) [quick]
-- The triggers that a version matches: by the nearest prefix and those above it, and three spellings of the type.
WITH RECURSIVE chain (prefix, parent) AS (
    SELECT prefix, parent FROM (
        SELECT prefix, parent FROM doc_trigger_prefixes
        WHERE team_id = :team_id AND prefix <= :key ORDER BY prefix DESC LIMIT 1
    )
    UNION ALL
    SELECT above.prefix, above.parent
    FROM chain CROSS JOIN doc_trigger_prefixes AS above
    WHERE above.team_id = :team_id AND above.prefix = chain.parent
)
SELECT DISTINCT matches.trigger_id
FROM chain CROSS JOIN doc_trigger_matches AS matches
WHERE SUBSTR(:key, 1, LENGTH(chain.prefix)) = chain.prefix
    AND matches.team_id = :team_id AND matches.prefix = chain.prefix
    AND matches.type IN (
        '*/*', :media_type, SUBSTR(:media_type, 1, INSTR(:media_type, '/')) || '*'
    )

-- name: matching (postgresql)
WITH RECURSIVE chain (prefix, parent) AS (
    SELECT prefix, parent FROM (
        SELECT prefix, parent FROM doc_trigger_prefixes
        WHERE team_id = :team_id AND prefix <= CAST(:key AS TEXT) ORDER BY prefix DESC LIMIT 1
    ) AS nearest
    UNION ALL
    SELECT above.prefix, above.parent
    FROM chain CROSS JOIN LATERAL (
        SELECT next.prefix, next.parent FROM doc_trigger_prefixes AS next
        WHERE next.team_id = :team_id AND next.prefix = chain.parent
        LIMIT 1
    ) AS above
)
SELECT DISTINCT found.trigger_id
FROM chain CROSS JOIN LATERAL (
    SELECT matches.trigger_id FROM doc_trigger_matches AS matches
    WHERE matches.team_id = :team_id AND matches.prefix = chain.prefix
        AND matches.type IN (
            '*/*', CAST(:media_type AS TEXT),
            LEFT(CAST(:media_type AS TEXT), STRPOS(CAST(:media_type AS TEXT), '/')) || '*'
        )
    OFFSET 0
) AS found
WHERE STARTS_WITH(CAST(:key AS TEXT), chain.prefix)

-- name: any_of_team [quick]
SELECT 1 AS found FROM doc_trigger_matches WHERE team_id = :team_id LIMIT 1

-- name: parent_of (sqlite) [quick]
-- The longest prefix that another one begins with.
WITH RECURSIVE chain (prefix, parent) AS (
    SELECT prefix, parent FROM (
        SELECT prefix, parent FROM doc_trigger_prefixes
        WHERE team_id = :team_id AND prefix < :prefix ORDER BY prefix DESC LIMIT 1
    )
    UNION ALL
    SELECT above.prefix, above.parent
    FROM chain CROSS JOIN doc_trigger_prefixes AS above
    WHERE above.team_id = :team_id AND above.prefix = chain.parent
)
SELECT prefix FROM chain
WHERE SUBSTR(:prefix, 1, LENGTH(prefix)) = prefix
ORDER BY LENGTH(prefix) DESC LIMIT 1

-- name: parent_of (postgresql)
WITH RECURSIVE chain (prefix, parent) AS (
    SELECT prefix, parent FROM (
        SELECT prefix, parent FROM doc_trigger_prefixes
        WHERE team_id = :team_id AND prefix < CAST(:prefix AS TEXT) ORDER BY prefix DESC LIMIT 1
    ) AS nearest
    UNION ALL
    SELECT above.prefix, above.parent
    FROM chain JOIN doc_trigger_prefixes AS above
        ON above.team_id = :team_id AND above.prefix = chain.parent
)
SELECT prefix FROM chain
WHERE STARTS_WITH(CAST(:prefix AS TEXT), prefix)
ORDER BY LENGTH(prefix) DESC LIMIT 1

-- name: insert_prefix [quick]
INSERT INTO doc_trigger_prefixes (team_id, prefix, parent)
VALUES (:team_id, :prefix, CAST(:parent AS TEXT))
ON CONFLICT (team_id, prefix) DO NOTHING
RETURNING prefix

-- name: put_between
-- Those that had the parent of a new prefix, and begin with it, have it now.
UPDATE doc_trigger_prefixes SET parent = :prefix
WHERE team_id = :team_id AND prefix <> :prefix AND SUBSTR(prefix, 1, CAST(:length AS INTEGER)) = :prefix
    AND (parent IS NULL OR LENGTH(parent) < CAST(:length AS INTEGER))

-- name: drop_prefix [quick]
-- Unless another trigger has it.
DELETE FROM doc_trigger_prefixes
WHERE team_id = :team_id AND prefix = :prefix AND NOT EXISTS (
    SELECT 1 FROM doc_trigger_matches AS matches
    WHERE matches.team_id = doc_trigger_prefixes.team_id AND matches.prefix = doc_trigger_prefixes.prefix
)
RETURNING prefix, parent

-- name: put_below [quick]
UPDATE doc_trigger_prefixes SET parent = CAST(:parent AS TEXT) WHERE team_id = :team_id AND parent = :prefix

-- name: key_of [quick]
SELECT key FROM published_objects WHERE id = :object_id AND team_id = :team_id

-- name: many_of_team [quick]
SELECT COUNT(*) AS many FROM doc_triggers WHERE team_id = :team_id

-- name: insert_trigger [quick]
INSERT INTO doc_triggers (
    id, org_id, team_id, workflow_slug, match_prefix, match_types, fire_on_derived, created_by, created_at,
    updated_at, size, input, enabled
)
VALUES (
    :id, :org_id, :team_id, :workflow_slug, :match_prefix, :match_types, :fire_on_derived, :user_id, :now, :now,
    :size, :input, :enabled
)

-- name: update_trigger [quick]
UPDATE doc_triggers
SET workflow_slug = :workflow_slug, match_prefix = :match_prefix, match_types = :match_types,
    fire_on_derived = :fire_on_derived, updated_at = :now, size = :size, input = :input, enabled = :enabled
WHERE id = :id AND team_id = :team_id

-- name: trigger [quick]
SELECT * FROM doc_triggers WHERE id = :id AND team_id = :team_id

-- name: triggers_of_team
-- The page ends early where its inputs would grow too large; `candidates` tells whether more follow.
SELECT doc_triggers.*, page.candidates
FROM (
    SELECT
        id, COUNT(*) OVER () AS candidates, SUM(size) OVER (ORDER BY id DESC) - size AS bytes_before
    FROM (
        SELECT id, size FROM doc_triggers
        WHERE team_id = :team_id AND id < :before
        ORDER BY id DESC LIMIT :limit
    ) AS newest
) AS page
JOIN doc_triggers ON doc_triggers.id = page.id
WHERE page.bytes_before < :max_bytes
ORDER BY doc_triggers.id DESC

-- name: delete_trigger [quick]
DELETE FROM doc_triggers WHERE id = :id AND team_id = :team_id RETURNING id

-- name: delete_matches [quick]
DELETE FROM doc_trigger_matches WHERE trigger_id = :id

-- name: insert_matches (sqlite)
INSERT INTO doc_trigger_matches (team_id, prefix, type, trigger_id)
SELECT :team_id, :prefix, value, :id FROM json_each(:types)

-- name: insert_matches (postgresql)
INSERT INTO doc_trigger_matches (team_id, prefix, type, trigger_id)
SELECT CAST(:team_id AS TEXT), CAST(:prefix AS TEXT), given.type, CAST(:id AS TEXT)
FROM jsonb_array_elements_text(CAST(:types AS JSONB)) AS given (type)

-- name: undecided (sqlite)
-- Of these triggers those that are still there and have no say on the version yet.
SELECT doc_triggers.* FROM doc_triggers
WHERE doc_triggers.team_id = :team_id AND doc_triggers.id IN (SELECT value FROM json_each(:ids))
    AND NOT EXISTS (
        SELECT 1 FROM doc_trigger_fires AS fires
        WHERE fires.trigger_id = doc_triggers.id AND fires.version_id = :version_id
    )
ORDER BY doc_triggers.id

-- name: undecided (postgresql)
SELECT doc_triggers.* FROM doc_triggers
WHERE doc_triggers.team_id = :team_id
    AND doc_triggers.id IN (SELECT jsonb_array_elements_text(CAST(:ids AS JSONB)))
    AND NOT EXISTS (
        SELECT 1 FROM doc_trigger_fires AS fires
        WHERE fires.trigger_id = doc_triggers.id AND fires.version_id = :version_id
    )
ORDER BY doc_triggers.id

-- name: record_fire
-- Nothing where the version is decided already, or the trigger is gone.
INSERT INTO doc_trigger_fires (
    id, org_id, team_id, trigger_id, object_id, version_id, version, outcome, reason, at
)
SELECT
    CAST(:id AS TEXT), org_id, team_id, doc_triggers.id, CAST(:object_id AS TEXT), CAST(:version_id AS TEXT),
    CAST(:version AS BIGINT), CAST(:outcome AS TEXT), CAST(:reason AS TEXT), CAST(:at AS BIGINT)
FROM doc_triggers WHERE doc_triggers.id = :trigger_id AND doc_triggers.team_id = :team_id
FOR KEY SHARE -- (postgresql)
ON CONFLICT (trigger_id, version_id) DO NOTHING
RETURNING id

-- name: take_from_budget [quick]
-- Nothing where the upload has led to as many runs as it may: the row is locked until the run has begun.
INSERT INTO doc_trigger_budgets (version_id, org_id, team_id, runs, last_at)
VALUES (:version_id, :org_id, :team_id, 1, :now)
ON CONFLICT (version_id) DO UPDATE SET runs = doc_trigger_budgets.runs + 1, last_at = :now
WHERE doc_trigger_budgets.runs < :max_runs
RETURNING runs

-- name: drop_old_budgets (sqlite)
DELETE FROM doc_trigger_budgets WHERE version_id IN (
    SELECT version_id FROM doc_trigger_budgets WHERE last_at < :until ORDER BY last_at LIMIT :limit
)

-- name: drop_old_budgets (postgresql)
-- By their places: a limit that the plan does not know would have them joined with all there are.
DELETE FROM doc_trigger_budgets WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM doc_trigger_budgets WHERE last_at < :until
    ORDER BY last_at LIMIT :limit FOR UPDATE SKIP LOCKED
))

-- name: set_run [quick]
UPDATE doc_trigger_fires SET run_id = :run_id WHERE id = :id

-- name: fires
SELECT
    hit.id, hit.ref_id AS object_id, hit.version, hit.outcome, hit.reason, hit.run_id, hit.at,
    CASE WHEN 1 = 0 /* readable */ THEN (
        SELECT objects.key FROM published_objects AS objects WHERE objects.id = hit.ref_id
    ) END AS key
FROM (
    SELECT id, object_id AS ref_id, version, outcome, reason, run_id, at FROM doc_trigger_fires
    WHERE trigger_id = :trigger_id AND doc_trigger_fires.team_id = :own_team_id AND id < :before
    ORDER BY id DESC LIMIT :limit
) AS hit
ORDER BY hit.id DESC

-- name: drop_old
-- Beyond the newest of a trigger, what is older than the given id; so many at once.
DELETE FROM doc_trigger_fires WHERE id IN (
    SELECT id FROM doc_trigger_fires
    WHERE trigger_id = :trigger_id AND id < :until AND id < (
        SELECT id FROM doc_trigger_fires WHERE trigger_id = :trigger_id
        ORDER BY id DESC LIMIT 1 OFFSET :newest
    )
    ORDER BY id LIMIT :limit
)

-- name: drop_fires
DELETE FROM doc_trigger_fires WHERE id IN (
    SELECT id FROM doc_trigger_fires WHERE trigger_id = :trigger_id ORDER BY id LIMIT :limit
)
RETURNING id

-- name: orphans [long]
-- From trigger to trigger by the index, however much history each has.
WITH RECURSIVE known (trigger_id) AS (
    SELECT MIN(trigger_id) FROM doc_trigger_fires
    UNION ALL
    SELECT (SELECT MIN(trigger_id) FROM doc_trigger_fires WHERE trigger_id > known.trigger_id)
    FROM known WHERE known.trigger_id IS NOT NULL
)
SELECT trigger_id FROM known
WHERE trigger_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM doc_triggers WHERE doc_triggers.id = known.trigger_id
)

-- name: held_by_team
SELECT id FROM doc_triggers WHERE team_id = :team_id LIMIT 1

-- name: all_of_team
SELECT * FROM doc_triggers WHERE team_id = :team_id ORDER BY id

-- name: move_trigger
UPDATE doc_triggers SET team_id = :target WHERE id = :id AND team_id = :source

-- name: move_fires
UPDATE doc_trigger_fires SET team_id = :target WHERE trigger_id = :id AND team_id = :source
