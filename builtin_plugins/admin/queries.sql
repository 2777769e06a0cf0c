-- name: users
SELECT COUNT(*) FROM published_people

-- name: teams
SELECT COUNT(*) FROM published_teams

-- name: orgs
SELECT COUNT(*) FROM published_companies

-- name: tenants
-- Whom the instance is run for: the companies that none of its operators belongs to.
SELECT COUNT(*) FROM published_companies AS companies
WHERE NOT EXISTS (
    SELECT 1 FROM published_people AS people WHERE people.org_id = companies.id AND people.operator = 1
)
