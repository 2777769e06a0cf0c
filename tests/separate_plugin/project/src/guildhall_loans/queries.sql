-- name: insert_thing
INSERT INTO loans_things (id, org_id, team_id, label, object_id)
VALUES (:id, :org_id, :team_id, :label, :object_id)

-- name: things_of_team
SELECT id, label, object_id, borrower, due_at, value FROM loans_things
WHERE team_id = :team_id ORDER BY id DESC LIMIT 100

-- name: thing_of_team
SELECT id, label, object_id, borrower, due_at, value FROM loans_things WHERE id = :id AND team_id = :team_id

-- name: lend
UPDATE loans_things SET borrower = :borrower, due_at = :due_at WHERE id = :id AND team_id = :team_id

-- name: overdue
SELECT id FROM loans_things WHERE team_id = :team_id AND due_at < :now ORDER BY id LIMIT 100

-- name: appraise
UPDATE loans_things SET value = :value WHERE id = :id AND team_id = :team_id

-- name: count_things
SELECT count(*) AS things, count(borrower) AS lent FROM loans_things WHERE org_id = :org_id

-- name: readable
SELECT 1 FROM loans_things
WHERE loans_things.id = hit.ref_id AND loans_things.team_id = :team_id AND :by_role = 1

-- name: readable_in_org
SELECT 1 FROM loans_things
WHERE loans_things.id = hit.ref_id AND loans_things.org_id = :org_id AND :by_role = 1

-- name: every_thing
SELECT id AS ref_id, org_id, team_id, label AS title, '' AS text FROM loans_things
WHERE id > :after ORDER BY id LIMIT :limit

-- name: every_thing (postgresql)
SELECT id AS ref_id, org_id, team_id, label AS title, '' AS text FROM loans_things
WHERE id > :after ORDER BY id LIMIT :limit FOR SHARE
