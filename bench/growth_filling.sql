-- Much of one thing, numbered, straight into the tables.

-- name: objects
-- `:present` 0 leaves delete markers; where they lie in folders, so many in each.
INSERT INTO objects (
    id, org_id, team_id, owner_id, key, visibility, revision, last_number, newest_id, present, vacant, document,
    text_status, created_at, updated_at
)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST(:many AS BIGINT))
SELECT
    'obj_' || CAST(:tag AS TEXT) || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), CAST(:team_id AS TEXT),
    CAST(:user_id AS TEXT),
    CAST(:prefix AS TEXT)
        || CASE
            WHEN CAST(:in_folders AS INTEGER) = 0 THEN ''
            ELSE CAST(1000000000 + i / CAST(:per_folder AS BIGINT) AS TEXT) || '/'
        END
        || CAST(1000000000 + i AS TEXT),
    CAST(:visibility AS TEXT), 1, 1, 'ver_' || CAST(:tag AS TEXT) || CAST(1000000000 + i AS TEXT),
    CAST(:present AS INTEGER), 1 - CAST(:present AS INTEGER), 0, 'none', 0, 0
FROM n

-- name: newest_versions
INSERT INTO object_versions (
    id, object_id, org_id, number, marker, sha256, size, etag, content_type, filename, attributes, created_at,
    created_by
)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST(:many AS BIGINT))
SELECT
    'ver_' || CAST(:tag AS TEXT) || CAST(1000000000 + i AS TEXT),
    'obj_' || CAST(:tag AS TEXT) || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), 1,
    1 - CAST(:present AS INTEGER), '', 0, 'd41d8cd98f00b204e9800998ecf8427e', 'text/plain', 'x', '{}', 0,
    CAST(:user_id AS TEXT)
FROM n

-- name: grants
INSERT INTO object_grants (
    object_id, principal_type, principal_id, org_id, team_id, key, capability, granted_by, granted_at, expires_at,
    listed
)
SELECT id, 'user', CAST(:user_id AS TEXT), org_id, team_id, key, 'view', owner_id, 0, NULL, present FROM objects
WHERE team_id = :team_id AND key >= :prefix AND key < CAST(:prefix AS TEXT) || '~'

-- name: older_markers
-- Of the one object with this tag, below its newest version.
INSERT INTO object_versions (
    id, object_id, org_id, number, marker, sha256, size, etag, content_type, filename, attributes, created_at,
    created_by
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT
    'ver_below_' || CAST(:tag AS TEXT) || CAST(1000000000 - i AS TEXT),
    'obj_' || CAST(:tag AS TEXT) || '1000000000', CAST(:org_id AS TEXT), -i, 1, '', 0, '', 'text/plain', 'x', '{}', 0,
    CAST(:user_id AS TEXT)
FROM n

-- name: companies
INSERT INTO orgs (id, slug, name, plan, created_at)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST(:many AS BIGINT))
SELECT 'org_' || CAST(i AS TEXT), 'org-' || CAST(i AS TEXT), 'Company', 'team', 0 FROM n

-- name: job_companies
INSERT INTO job_companies (org_id) SELECT id FROM orgs

-- name: teams
-- One of each company.
INSERT INTO teams (id, org_id, slug, name, created_at)
SELECT 'team_' || SUBSTR(id, 5), id, 'team-' || SUBSTR(id, 5), 'Team', 0 FROM orgs

-- name: caps
INSERT INTO job_teams (team_id, cap) SELECT id, 1 FROM teams WHERE CAST(SUBSTR(id, 6) AS INTEGER) >= :first

-- name: lanes
-- Those who wait in vain are first in turn.
INSERT INTO job_lanes (pool, team_id, org_id, vtime, active)
SELECT 'local', id, org_id, CASE WHEN CAST(SUBSTR(id, 6) AS INTEGER) >= :first THEN 0 ELSE 1 END, 1 FROM teams

-- name: lanes_for
INSERT INTO job_lanes (pool, team_id, org_id, vtime, active, requirement)
SELECT pool, team_id, org_id, vtime, 1, CAST(:requirement AS TEXT) FROM job_lanes
WHERE requirement = '' AND CAST(SUBSTR(team_id, 6) AS INTEGER) >= :first

-- name: lanes_without_jobs
UPDATE job_lanes SET active = 0 WHERE requirement = '' AND CAST(SUBSTR(team_id, 6) AS INTEGER) >= :first

-- name: jobs
-- So many of each team from `:first` to before `:last`, numbered on.
INSERT INTO jobs (
    id, org_id, team_id, user_id, kind, pool, state, priority, run_at, max_attempts, payload, created_at, requirement,
    lease_until, claim_token
)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST(:each AS BIGINT))
SELECT
    'job_' || CAST(:tag AS TEXT) || team.id || '_' || CAST(1000000000 + i AS TEXT), team.org_id, team.id, 'usr', 'x.bench.nothing', 'local',
    CAST(:state AS TEXT), CAST(:priority AS INTEGER), 0, 1, '{}', 0, CAST(:requirement AS TEXT),
    CASE WHEN CAST(:state AS TEXT) = 'running' THEN CAST(9000000000000 AS BIGINT) END, 'x'
FROM n CROSS JOIN teams AS team
WHERE CAST(SUBSTR(team.id, 6) AS INTEGER) >= :first AND CAST(SUBSTR(team.id, 6) AS INTEGER) < :last

-- name: people
INSERT INTO users (id, org_id, username, username_key, display_name, locale, operator, two_factor, created_at)
VALUES (:id, 'org_0', :id, :id, :id, 'en', 0, 0, 0)

-- name: notes
INSERT INTO notes (id, org_id, team_id, owner_id, visibility, revision, created_at, updated_at, size, title, body)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST(:many AS BIGINT))
SELECT 'note_' || CAST(1000000000 + i AS TEXT), 'org_0', 'team_0', 'author', 'team', 1, 0, 0, 0, CAST(:title AS TEXT), CAST(:text AS TEXT) FROM n

-- name: note_shares
INSERT INTO note_shares (note_id, user_id, org_id, permission, created_at)
SELECT id, 'guest', 'org_0', 'notes:read', 0 FROM notes ORDER BY id LIMIT :many

-- name: documents (sqlite)
INSERT INTO search_documents (type, ref_id, org_id, team_id, title, excerpt)
SELECT 'note', id, org_id, team_id, title, body FROM notes ORDER BY id

-- name: documents (postgresql)
INSERT INTO search_documents (
    type, ref_id, org_id, team_id, title, excerpt, title_words, often_words, words
)
SELECT
    'note', id, org_id, team_id, title, body, array_to_tsvector(string_to_array(CAST(:title_words AS TEXT), ' ')),
    array_to_tsvector(string_to_array(CAST(:title_words AS TEXT), ' ')),
    array_to_tsvector(string_to_array(CAST(:title_words AS TEXT) || ' ' || CAST(:body_words AS TEXT), ' '))
FROM notes ORDER BY id

-- name: words (sqlite)
INSERT INTO search_words (rowid, title, often, body) SELECT id, :title_words, :often_words, :body_words FROM search_documents

-- name: words (postgresql)
SELECT 1

-- name: usage
-- Of one person in ten days, each time at another moment.
INSERT INTO ai_usage (team_id, at, user_id, model, credential, requests, tokens)
WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < CAST(:many AS BIGINT))
SELECT 'team_0', 86400000 * CAST(1 + i % 10 AS BIGINT) + 1 + i, 'author', 'x', 'session', 1, 1 FROM n
