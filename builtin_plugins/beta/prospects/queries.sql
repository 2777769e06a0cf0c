-- name: first_owner [quick]
SELECT user_id FROM published_memberships WHERE team_id = :team_id AND role = 'owner'
ORDER BY created_at, user_id LIMIT 1

-- name: unjudged [quick]
SELECT fields, signals, experience_id FROM beta_prospects
WHERE id = :id AND team_id = :team_id AND verdict IS NULL AND honeypot = 0

-- name: put_verdict [quick]
UPDATE beta_prospects SET verdict = :verdict, judge_problem = NULL
WHERE id = :id AND team_id = :team_id AND verdict IS NULL

-- name: put_problem [quick]
UPDATE beta_prospects SET judge_problem = :problem
WHERE id = :id AND team_id = :team_id AND verdict IS NULL

-- name: page
SELECT
    id, fields, locale, signals, honeypot, repeats, verdict, judge_problem, status,
    decided_by, decided_at, note, created_at
FROM beta_prospects
WHERE team_id = :team_id AND id < :before
ORDER BY id DESC LIMIT :limit

-- name: page_of_status
SELECT
    id, fields, locale, signals, honeypot, repeats, verdict, judge_problem, status,
    decided_by, decided_at, note, created_at
FROM beta_prospects
WHERE team_id = :team_id AND status = :status AND id < :before
ORDER BY id DESC LIMIT :limit

-- name: found_page [long, may lag]
SELECT
    id, fields, locale, signals, honeypot, repeats, verdict, judge_problem, status,
    decided_by, decided_at, note, created_at
FROM beta_prospects
WHERE team_id = :team_id AND (:status = '' OR status = :status) AND id < :before
    AND words LIKE :pattern ESCAPE '!'
ORDER BY id DESC LIMIT :limit

-- name: by_id [quick]
SELECT
    id, fields, locale, signals, honeypot, repeats, verdict, judge_problem, status,
    decided_by, decided_at, note, created_at
FROM beta_prospects
WHERE id = :id AND team_id = :team_id

-- name: decide [quick]
-- The same decision again changes nothing, and names nobody else as the one who decided.
UPDATE beta_prospects
SET status = :status, note = COALESCE(CAST(:note AS TEXT), note), decided_by = :user_id, decided_at = :now
WHERE id = :id AND team_id = :team_id
    AND (status <> :status OR COALESCE(note, '') <> COALESCE(CAST(:note AS TEXT), note, ''))
RETURNING id

-- name: erase [quick]
DELETE FROM beta_prospects WHERE id = :id AND team_id = :team_id RETURNING id

-- name: newest_form [quick]
SELECT id FROM beta_experiences WHERE team_id = :team_id ORDER BY version DESC LIMIT 1

-- name: count_old
SELECT COUNT(*) AS many FROM beta_prospects WHERE created_at < :before

-- name: delete_old (sqlite)
DELETE FROM beta_prospects
WHERE id IN (SELECT id FROM beta_prospects WHERE created_at < :before ORDER BY created_at LIMIT :limit)
RETURNING id

-- name: delete_old (postgresql)
-- By their places: what has no number in its plan would be joined with all that are there.
DELETE FROM beta_prospects WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM beta_prospects WHERE created_at < :before ORDER BY created_at LIMIT :limit FOR UPDATE SKIP LOCKED
))
RETURNING id

-- name: held_by_team
SELECT id FROM beta_prospects WHERE team_id = :team_id LIMIT 1

-- name: move_prospects
-- Who signed up in both teams is there already.
UPDATE beta_prospects SET team_id = :target
WHERE team_id = :source AND org_id = :org_id
    AND NOT EXISTS (
        SELECT 1 FROM beta_prospects AS there
        WHERE there.team_id = :target AND there.email_key = beta_prospects.email_key
    )

-- name: to_invite
SELECT email_key, locale FROM beta_prospects
WHERE id = :id AND team_id = :team_id AND status = 'accepted' AND honeypot = 0 AND email_key IS NOT NULL
