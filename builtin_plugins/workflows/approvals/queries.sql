-- name: insert_approval [quick]
INSERT INTO approvals (
    id, org_id, team_id, run_id, number, step, title, body, form, role, requested_by, requested_at, expires_at,
    remind_at
)
VALUES (
    :id, :org_id, :team_id, :run_id, :number, :step, :title, CAST(:body AS TEXT), CAST(:form AS TEXT),
    CAST(:role AS TEXT), :requested_by, :requested_at, CAST(:expires_at AS BIGINT), CAST(:remind_at AS BIGINT)
)

-- name: insert_people
INSERT INTO approval_people (approval_id, team_id, user_id)
SELECT CAST(:approval_id AS TEXT), CAST(:team_id AS TEXT), value
FROM json_each(:people) -- (sqlite)
FROM jsonb_array_elements_text(CAST(:people AS JSONB)) AS given (value) -- (postgresql)
WHERE value IS NOT NULL
ON CONFLICT DO NOTHING

-- name: members
-- Of these people those who are in the team.
SELECT user_id FROM published_memberships
WHERE team_id = :team_id AND user_id IN (
    SELECT value FROM json_each(:people) -- (sqlite)
    SELECT jsonb_array_elements_text(CAST(:people AS JSONB)) -- (postgresql)
)

-- name: with_org_role
-- Members of the team who have one of these roles in the company.
SELECT people.id AS user_id
FROM published_people AS people
JOIN published_memberships AS memberships ON memberships.user_id = people.id AND memberships.team_id = :team_id
WHERE people.org_id = :org_id AND people.org_role IN (
    SELECT value FROM json_each(:roles) -- (sqlite)
    SELECT jsonb_array_elements_text(CAST(:roles AS JSONB)) -- (postgresql)
)
ORDER BY people.id

-- name: columns [part]
approvals.id, approvals.run_id, approvals.number, approvals.step, approvals.title, approvals.body, approvals.form,
approvals.role, approvals.requested_by, approvals.requested_at, approvals.expires_at, approvals.open,
approvals.decision, approvals.decided_by, approvals.decided_at, approvals.comment, approvals.answer

-- name: approval [quick]
SELECT
    -- use: columns
FROM approvals WHERE approvals.id = :id AND approvals.team_id = :team_id

-- name: is_asked [quick]
SELECT 1 AS asked FROM approval_people WHERE approval_id = :id AND team_id = :team_id AND user_id = :user_id

-- name: wait_for_person [part]
SELECT id FROM (
    SELECT approval_id AS id FROM approval_people
    WHERE team_id = :team_id AND user_id = :user_id AND open = 1 AND approval_id < :before
    ORDER BY approval_id DESC LIMIT :fetched
) AS named
UNION
SELECT id FROM (
    SELECT id FROM approvals
    WHERE team_id = :team_id AND open = 1 AND id < :before AND role IN (
        SELECT value FROM json_each(:roles) -- (sqlite)
        SELECT jsonb_array_elements_text(CAST(:roles AS JSONB)) -- (postgresql)
    )
    ORDER BY id DESC LIMIT :fetched
) AS by_role

-- name: of_person
-- Those that wait for this person, by name or by role, newest first.
SELECT
    -- use: columns
FROM approvals
WHERE approvals.team_id = :team_id AND approvals.open = 1 AND approvals.id IN (
    -- use: wait_for_person
)
ORDER BY approvals.id DESC
LIMIT :fetched

-- name: seen_by
-- Those, and what the runs of this person wait for.
SELECT
    -- use: columns
FROM approvals
WHERE approvals.team_id = :team_id AND approvals.open = 1 AND approvals.id IN (
    -- use: wait_for_person
    UNION
    SELECT id FROM (
        SELECT id FROM approvals
        WHERE team_id = :team_id AND open = 1 AND id < :before AND requested_by = :user_id
        ORDER BY id DESC LIMIT :fetched
    ) AS started
)
ORDER BY approvals.id DESC
LIMIT :fetched

-- name: decide [quick]
UPDATE approvals SET
    open = 0, decision = :decision, decided_by = CAST(:by AS TEXT), decided_at = :now,
    comment = CAST(:comment AS TEXT), answer = CAST(:answer AS TEXT)
WHERE id = :id AND team_id = :team_id AND open = 1

-- name: close [quick]
UPDATE approvals SET open = 0 WHERE run_id = :run_id AND number = :number AND open = 1

-- name: close_people [quick]
UPDATE approval_people SET open = 0
WHERE approval_id IN (SELECT id FROM approvals WHERE run_id = :run_id AND number = :number) AND open = 1

-- name: close_of_run
UPDATE approvals SET open = 0 WHERE run_id = :run_id AND open = 1

-- name: close_people_of_run
UPDATE approval_people SET open = 0
WHERE approval_id IN (SELECT id FROM approvals WHERE run_id = :run_id) AND open = 1

-- name: first_reminder [quick]
SELECT MIN(remind_at) AS remind_at FROM approvals WHERE remind_at IS NOT NULL AND open = 1

-- name: to_remind
SELECT id, org_id, team_id, title, role, requested_at, expires_at, remind_at FROM approvals
WHERE remind_at <= :now AND open = 1
ORDER BY remind_at
LIMIT :limit

-- name: note_reminder [quick]
-- Of several who remind one counts.
UPDATE approvals SET remind_at = CAST(:next AS BIGINT)
WHERE id = :id AND team_id = :team_id AND remind_at = :due AND open = 1
RETURNING id

-- name: still_asked
-- Those who were asked by name, and are in the team still.
SELECT asked.user_id FROM approval_people AS asked
JOIN published_memberships AS memberships
    ON memberships.user_id = asked.user_id AND memberships.team_id = asked.team_id
WHERE asked.approval_id = :id AND asked.team_id = :team_id
ORDER BY asked.user_id
