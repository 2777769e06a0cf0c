-- name: known [quick]
SELECT plugin, kind, form, due_at, after_team FROM periodic_jobs

-- name: add [quick]
-- Whoever comes second leaves the time as the first has set it.
INSERT INTO periodic_jobs (plugin, kind, form, due_at, after_team) VALUES (:plugin, :kind, :form, :due_at, '')
ON CONFLICT DO NOTHING

-- name: change [quick]
UPDATE periodic_jobs SET form = :form, due_at = :due_at, after_team = ''
WHERE plugin = :plugin AND kind = :kind AND form = :before

-- name: lock [quick]
SELECT due_at, after_team FROM periodic_jobs WHERE plugin = :plugin AND kind = :kind
FOR UPDATE -- (postgresql)

-- name: move_on [quick]
UPDATE periodic_jobs SET due_at = :due_at, after_team = :after_team WHERE plugin = :plugin AND kind = :kind

-- name: teams
-- Each with somebody of it, who owns its jobs: its oldest member.
SELECT teams.id AS team_id, teams.org_id, (
    SELECT members.user_id FROM published_memberships AS members
    WHERE members.team_id = teams.id
    ORDER BY members.created_at, members.user_id LIMIT 1
) AS user_id
FROM published_teams AS teams
WHERE teams.id > :after
ORDER BY teams.id
LIMIT :limit

-- name: team_of_instance
-- Where what belongs to no team is done: in a team of the operator, of a company that is not suspended.
SELECT teams.id AS team_id, teams.org_id, members.user_id
FROM published_memberships AS members
JOIN published_teams AS teams ON teams.id = members.team_id
JOIN published_companies AS companies ON companies.id = teams.org_id
JOIN published_people AS people ON people.id = members.user_id
WHERE companies.suspended_at IS NULL
ORDER BY people.operator DESC, members.created_at, teams.id, people.id
LIMIT 1
