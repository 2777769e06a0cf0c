-- Much of everything in one team, numbered; what a list is asked for is the oldest of it, or the last.

-- name: jobs
INSERT INTO jobs (id, org_id, team_id, user_id, kind, pool, state, priority, run_at, max_attempts, payload, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'job_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), CAST(:user_id AS TEXT),
    CASE WHEN i <= 60 THEN 'x.rare' ELSE 'x.common' END, 'none',
    CASE WHEN i <= 20 THEN 'failed' WHEN i <= 80 THEN 'cancelled' ELSE 'succeeded' END, 0, 0, 1, '{}', 0
FROM n

-- name: notes
INSERT INTO notes (id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'note_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), CAST(:other_id AS TEXT),
    CASE WHEN i <= 60 THEN 'team' ELSE 'private' END, 1, 0, 0, 1, 'Note', 'x'
FROM n

-- name: note_tags
INSERT INTO note_tags (note_id, tag, org_id)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'note_' || CAST(1000000000 + i AS TEXT), CASE WHEN i % 1000 = 0 THEN 'rare' ELSE 'common' END,
    CAST(:org_id AS TEXT)
FROM n

-- name: objects
INSERT INTO objects (
    id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id, present, document,
    text_status, created_at, updated_at
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'obj_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), CAST(:other_id AS TEXT), 'k' || CAST(2000000000 - i AS TEXT),
    CASE WHEN i % 3 = 0 THEN 'private' WHEN i % 3 = 1 THEN 'shared' ELSE 'team' END, 1, 1,
    'ver_' || CAST(1000000000 + i AS TEXT), CASE WHEN i <= 6000 THEN 1 ELSE 0 END, 1, 'none', 0, 0
FROM n

-- name: versions
INSERT INTO object_versions (
    id, object_id, org_id, number, marker, sha256, size, etag, content_type, filename, attributes, created_at,
    created_by
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'ver_' || CAST(1000000000 + i AS TEXT), 'obj_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), 1, 0, 'x', 1, 'x', 'text/plain', 'x', '{}', 0,
    CAST(:other_id AS TEXT)
FROM n

-- name: grants
-- Half of what was deleted, or is below, was given to the asker as well.
INSERT INTO object_grants (
    object_id, principal_type, principal_id, org_id, team_id, key, capability, granted_by, granted_at, expires_at,
    listed
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'obj_' || CAST(1000000000 + i AS TEXT), 'user',
    CASE WHEN i <= 60 OR i % 2 = 0 THEN CAST(:user_id AS TEXT) ELSE CAST(:other_id AS TEXT) END,
    CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), 'k' || CAST(2000000000 - i AS TEXT), 'view',
    CAST(:other_id AS TEXT), 0, NULL, CASE WHEN i <= 6000 AND i % 3 <> 0 THEN 1 ELSE 0 END
FROM n

-- name: deleted
UPDATE objects SET present = 0 WHERE id > 'obj_1000000060' AND id <= 'obj_1000006000'

-- name: events
INSERT INTO audit_events (id, chain, seq, org_id, team_id, at, actor_name, action, detail, mac)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'evt_' || CAST(1000000000 + i AS TEXT), 'made', i, CAST(:org_id AS TEXT), CASE WHEN i <= 60 THEN CAST(:team_id AS TEXT) ELSE 'team_other' END,
    0, 'x', 'note.created', '{}', 'x'
FROM n

-- name: tokens
INSERT INTO credentials (id, kind, secret_hash, user_id, team_id, name, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'tok_' || CAST(1000000000 + i AS TEXT), CASE WHEN i <= 60 THEN 'api' ELSE 'session' END, 'hash' || CAST(1000000000 + i AS TEXT), CAST(:user_id AS TEXT),
    CAST(:team_id AS TEXT), 'x', 0
FROM n

-- name: people
INSERT INTO users (id, org_id, username, username_key, display_name, locale, operator, two_factor, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'usr_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), 'u' || CAST(1000000000 + i AS TEXT), 'u' || CAST(1000000000 + i AS TEXT), 'x', 'en', 0, 0, 0 FROM n

-- name: members
INSERT INTO memberships (team_id, user_id, role, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT CAST(:team_id AS TEXT), 'usr_' || CAST(1000000000 + i AS TEXT), 'member', 0 FROM n

-- name: terms
INSERT INTO glossary_terms (
    id, org_id, team_id, target, term_key, term, translation, updated_by, created_at, updated_at
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'term_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT),
    CASE WHEN i <= 60 THEN 'es' ELSE 'nl' END, 'k' || CAST(i AS TEXT), 'x', 'x', CAST(:other_id AS TEXT), 0, 0
FROM n

-- name: translations
INSERT INTO translations (
    id, org_id, team_id, user_id, credential_id, target, model, simulated, untranslated, created_at, size, terms,
    source_text, text
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'trl_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), CAST(:other_id AS TEXT),
    'tok_x', 'es', 'x', 0, 0, 0, 2, '{"glossary": [], "missed": []}', 'x', 'x'
FROM n

-- name: runs
INSERT INTO runs (
    id, org_id, team_id, slug, version, state, input, locale, created_by, chain, steps_used, last_number, revision,
    created_at, moved_at, finished_at
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'run_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), 'x', 1, 'succeeded', '{}',
    'en', CAST(:user_id AS TEXT), '[]', 1, 1, 1, 0, 0, 0
FROM n

-- name: run_items
INSERT INTO run_items (run_id, number, idx, state, item)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'run_' || CAST(1000000000 + i AS TEXT), 1, 0, 'succeeded', '1' FROM n

-- name: usage
-- By the day, as what is old; ten days of each person.
INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT CAST(:team_id AS TEXT), 86400000 * CAST(1 + i % 10 AS BIGINT), 'usr_' || CAST(1000000000 + i / 10 AS TEXT),
    'x', 'session', 1, 1
FROM n

-- name: prospects
INSERT INTO beta_prospects (
    id, org_id, team_id, email_key, fields, words, locale, signals, honeypot, repeats, status, created_at
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'prs_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), 'x' || CAST(i AS TEXT), '{}', '', 'en',
    '{"address_hash": "x", "subnet_hash": "x", "agent": "x", "referrer_host": null, "seconds_to_submit": 1, "difficulty": 16, "disposable": false}', 0, 0,
    CASE WHEN i <= 60 THEN 'accepted' ELSE 'captured' END, 4000000000000
FROM n

-- name: teams
INSERT INTO teams (id, org_id, slug, name, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'team_z' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), 'z' || CAST(1000000000 + i AS TEXT), 'x', 0 FROM n

-- name: experiences
-- All but the first are those of other teams of the company.
INSERT INTO beta_experiences (id, org_id, team_id, version, published_by, published_at, document)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'exp_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT),
    CASE WHEN i <= 60 THEN CAST(:team_id AS TEXT) ELSE 'team_z' || CAST(1000000000 + i AS TEXT) END,
    i, CAST(:other_id AS TEXT), 0,
    '{"fields": [{"name": "email", "type": "email", "label": "x"}], "copy": {"en": {"title": "x"}}, "theme": {}, "judge_prompt": ""}'
FROM n

-- name: assets
INSERT INTO beta_assets (
    id, org_id, team_id, kind, content_type, sha256, size, created_by, created_at, content
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'ast_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT), 'logo', 'image/png', 'x', 1,
    CAST(:other_id AS TEXT), 0, CAST('x' AS BYTEA)
FROM n

-- name: arrivals
INSERT INTO beta_arrivals (nonce, address, subnet, at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'x' || CAST(1000000000 + i AS TEXT), 'x' || CAST(i / 20 AS TEXT), 'x' || CAST(i / 100 AS TEXT), 4000000000000 FROM n

-- name: languages
INSERT INTO l10n_locales (code, opened_at) VALUES ('fr', 0), ('fy', 0)

-- name: messages
INSERT INTO l10n_messages (id, locale, key, ns, status, version, created_at, updated_at, source)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'msg_' || CAST(1000000000 + i AS TEXT), 'fy', CASE WHEN i <= 60 THEN 'rare.k' ELSE 'common.k' END || CAST(2000000000 - i AS TEXT),
    CASE WHEN i <= 60 THEN 'rare' ELSE 'common' END, CASE WHEN i <= 20 THEN 'submitted' ELSE 'missing' END, 1, 0, 0, 'x'
FROM n

-- name: history
INSERT INTO l10n_history (message_id, version, at, action)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'msg_1000000001', i, 0, 'submitted' FROM n

-- name: served_anew
-- What servers remember of the texts, they read again.
UPDATE l10n_policy SET revision = revision + 1

-- name: take_stock (sqlite)
SELECT 1

-- name: take_stock (postgresql)
-- As the autovacuum of a real installation would.
ANALYZE
