-- name: way_columns [part]
id, org_id, kind, label, settings, secrets, admission, required, created_at

-- name: ways_of_company
SELECT
    -- use: way_columns
FROM sign_in_ways WHERE org_id = :org_id AND id > :after ORDER BY id LIMIT :limit

-- name: ways_of_instance
SELECT
    -- use: way_columns
FROM sign_in_ways WHERE org_id IS NULL AND id > :after ORDER BY id LIMIT :limit

-- name: many_ways [quick]
SELECT COUNT(*) FROM sign_in_ways
WHERE org_id = CAST(:org_id AS TEXT) OR (org_id IS NULL AND CAST(:org_id AS TEXT) IS NULL)

-- name: way_of_company [quick]
SELECT
    -- use: way_columns
FROM sign_in_ways WHERE id = :id AND org_id = :org_id

-- name: way_of_instance [quick]
SELECT
    -- use: way_columns
FROM sign_in_ways WHERE id = :id AND org_id IS NULL

-- name: way [quick]
-- For who signs in, and is in no company yet.
SELECT
    -- use: way_columns
FROM sign_in_ways WHERE id = :id

-- name: ways_at_domain [quick]
SELECT ways.id, ways.kind, ways.label, claims.org_id, claims.confirmed_at, claims.claimed_at
FROM sign_in_domains AS claims JOIN sign_in_ways AS ways ON ways.id = claims.way_id
WHERE claims.domain = :domain AND claims.released_at IS NULL ORDER BY ways.id LIMIT :limit

-- name: others_at_domain [quick]
-- Whether another company's people had addresses at a domain before it was claimed.
SELECT 1 FROM published_email_domains AS addresses
JOIN published_people AS people ON people.id = addresses.user_id
WHERE addresses.domain = :domain AND addresses.org_id <> :org_id AND people.created_at < :claimed_at
LIMIT 1

-- name: claims
-- Of all companies, for who operates the instance.
SELECT claims.domain, claims.way_id, claims.org_id, claims.claimed_at, claims.confirmed_at, companies.name AS org_name
FROM sign_in_domains AS claims JOIN published_companies AS companies ON companies.id = claims.org_id
WHERE (claims.domain, claims.way_id) > (:after_domain, :after_way) AND claims.released_at IS NULL
ORDER BY claims.domain, claims.way_id LIMIT :limit

-- name: claims_of_company
SELECT
    claims.domain, claims.way_id, claims.org_id, claims.claimed_at, claims.confirmed_at, claims.released_at, ways.label
FROM sign_in_domains AS claims JOIN sign_in_ways AS ways ON ways.id = claims.way_id
WHERE claims.org_id = :org_id AND (claims.domain, claims.way_id) > (:after_domain, :after_way)
ORDER BY claims.domain, claims.way_id LIMIT :limit

-- name: confirm_claim
UPDATE sign_in_domains SET confirmed_at = :now
WHERE domain = :domain AND org_id = :org_id AND released_at IS NULL
RETURNING way_id

-- name: release_claims
-- What the ways let in stays; they lead nobody by it, and claim it again only once it was taken out there.
UPDATE sign_in_domains SET released_at = :now, confirmed_at = NULL
WHERE domain = :domain AND org_id IS NOT NULL AND released_at IS NULL
RETURNING org_id

-- name: ways_at_host [quick]
SELECT id, kind, label FROM sign_in_ways
WHERE org_id = (SELECT id FROM published_companies WHERE domain = :host) ORDER BY id LIMIT :limit

-- name: ways_of_only_company
-- Where one company is all there is, its ways need no name.
SELECT id, kind, label FROM sign_in_ways
WHERE org_id IN (SELECT id FROM published_companies ORDER BY id LIMIT 1)
    AND (SELECT COUNT(*) FROM (SELECT id FROM published_companies ORDER BY id LIMIT 2) AS first_two) = 1
ORDER BY id LIMIT :limit

-- name: ways_for_everybody [quick]
SELECT id, kind, label FROM sign_in_ways WHERE org_id IS NULL ORDER BY id LIMIT :limit

-- name: required_ways [quick]
SELECT
    -- use: way_columns
FROM sign_in_ways WHERE (org_id = :org_id OR org_id IS NULL) AND required = 1 ORDER BY id LIMIT :limit

-- name: add_way
INSERT INTO sign_in_ways (id, org_id, kind, label, settings, secrets, admission, required, created_at)
VALUES (:id, CAST(:org_id AS TEXT), :kind, :label, :settings, :secrets, :admission, :required, :now)

-- name: change_way
UPDATE sign_in_ways SET label = :label, settings = :settings, secrets = :secrets, admission = :admission, required = :required
WHERE id = :id AND (org_id = CAST(:org_id AS TEXT) OR (org_id IS NULL AND CAST(:org_id AS TEXT) IS NULL))

-- name: delete_way
DELETE FROM sign_in_ways
WHERE id = :id AND (org_id = CAST(:org_id AS TEXT) OR (org_id IS NULL AND CAST(:org_id AS TEXT) IS NULL))

-- name: other_company_at_domain
SELECT way_id FROM sign_in_domains
WHERE domain = :domain AND way_id <> :way_id
    AND org_id <> CAST(:org_id AS TEXT) AND released_at IS NULL
LIMIT 1

-- name: domains_of_way [quick]
SELECT domain, claimed_at, confirmed_at, released_at FROM sign_in_domains WHERE way_id = :way_id

-- name: drop_domain
DELETE FROM sign_in_domains WHERE way_id = :way_id AND domain = :domain

-- name: add_domain
-- What an operator confirmed of a company holds for another way of it too.
INSERT INTO sign_in_domains (domain, way_id, org_id, claimed_at, confirmed_at)
SELECT :domain, :way_id, CAST(:org_id AS TEXT), CAST(:now AS BIGINT), (
    SELECT MAX(confirmed_at) FROM sign_in_domains WHERE domain = :domain AND org_id = CAST(:org_id AS TEXT)
)

-- name: linked_person [quick]
SELECT user_id FROM sign_in_links WHERE way_id = :way_id AND subject = :subject

-- name: link [quick]
INSERT INTO sign_in_links (way_id, subject, user_id, org_id, linked_at)
VALUES (:way_id, :subject, :user_id, :org_id, :now)
ON CONFLICT (way_id, subject) DO NOTHING
RETURNING user_id

-- name: granted [quick]
SELECT team_id FROM sign_in_grants WHERE way_id = :way_id AND user_id = :user_id AND org_id = :org_id

-- name: note_grant [quick]
INSERT INTO sign_in_grants (way_id, team_id, user_id, org_id) VALUES (:way_id, :team_id, :user_id, :org_id)
ON CONFLICT (way_id, user_id, team_id) DO NOTHING

-- name: forget_grant [quick]
DELETE FROM sign_in_grants
WHERE way_id = :way_id AND user_id = :user_id AND team_id = :team_id AND org_id = :org_id

-- name: note_session [quick]
INSERT INTO sign_in_sessions (session_id, way_id, org_id, user_id, foreign_session, hint)
VALUES (:session_id, :way_id, :org_id, :user_id, CAST(:foreign_session AS TEXT), CAST(:hint AS TEXT))

-- name: session [quick]
SELECT way_id, hint FROM sign_in_sessions WHERE session_id = :session_id AND user_id = :user_id

-- name: carry_session [quick]
-- A session that another made ends as that one does.
INSERT INTO sign_in_sessions (session_id, way_id, org_id, user_id, foreign_session, hint)
SELECT :new_id, way_id, org_id, user_id, foreign_session, hint FROM sign_in_sessions WHERE session_id = :session_id

-- name: sessions_named [quick]
SELECT session_id, user_id FROM sign_in_sessions
WHERE way_id = :way_id AND foreign_session = :foreign_session
    AND (CAST(:user_id AS TEXT) IS NULL OR user_id = CAST(:user_id AS TEXT))
ORDER BY session_id LIMIT :limit

-- name: forget_links_over [quick]
-- Of people who may more than who changes what vouches for them.
DELETE FROM sign_in_links
WHERE way_id = :way_id AND EXISTS (
    SELECT 1 FROM published_people AS person
    WHERE person.id = sign_in_links.user_id
    AND (person.operator = 1 OR (:owners = 1 AND person.org_role = 'org_owner'))
)

-- name: use_once [quick]
INSERT INTO sign_in_used (handle, ends_at) VALUES (:handle, :ends_at)
ON CONFLICT (handle) DO NOTHING
RETURNING handle

-- name: forget_used [quick]
DELETE FROM sign_in_used WHERE handle IN (
    SELECT handle FROM sign_in_used WHERE ends_at <= :now ORDER BY ends_at LIMIT 20
)
