-- name: funnel_at [quick]
-- The company that has this hostname, else the first; with its newest version and its first team.
SELECT companies.id AS org_id,
    COALESCE(
        experiences.team_id,
        (SELECT MIN(teams.id) FROM published_teams AS teams WHERE teams.org_id = companies.id)
    ) AS team_id,
    experiences.id AS experience_id,
    experiences.version,
    experiences.published_by,
    experiences.published_at
FROM published_companies AS companies
LEFT JOIN beta_experiences AS experiences
    ON experiences.org_id = companies.id
    AND experiences.version = (
        SELECT MAX(newest.version) FROM beta_experiences AS newest WHERE newest.org_id = companies.id
    )
WHERE companies.id = COALESCE(
    (SELECT named.id FROM published_companies AS named WHERE named.domain = :hostname),
    (SELECT MIN(oldest.id) FROM published_companies AS oldest)
)

-- name: published_document [quick]
SELECT document FROM beta_experiences WHERE id = :id

-- name: draft_of
SELECT version, saved_by, saved_at, document FROM beta_drafts WHERE team_id = :team_id

-- name: save_draft
-- Only over the version that it was made from; else it gives no row.
INSERT INTO beta_drafts (team_id, org_id, version, saved_by, saved_at, document)
VALUES (:team_id, :org_id, :version + 1, :saved_by, :now, :document)
ON CONFLICT (team_id) DO UPDATE
SET version = excluded.version,
    saved_by = excluded.saved_by,
    saved_at = excluded.saved_at,
    document = excluded.document
WHERE beta_drafts.version = :version
RETURNING version

-- name: newest_of_company
SELECT id, team_id, version, published_by, published_at, document
FROM beta_experiences
WHERE org_id = :org_id
ORDER BY version DESC
LIMIT 1

-- name: publish
INSERT INTO beta_experiences (id, org_id, team_id, version, published_by, published_at, document)
VALUES (:id, :org_id, :team_id, :version, :published_by, :now, :document)

-- name: versions_of_team
SELECT id, version, published_by, published_at,
    version = (SELECT MAX(newest.version) FROM beta_experiences AS newest WHERE newest.org_id = :org_id)
        AS is_current
FROM beta_experiences
WHERE team_id = :team_id AND version < :before
ORDER BY version DESC
LIMIT :limit

-- name: version_of_team
SELECT document FROM beta_experiences
WHERE org_id = :org_id AND team_id = :team_id AND version = :version

-- name: held_by_team
SELECT team_id FROM beta_drafts WHERE team_id = :team_id
UNION ALL
SELECT team_id FROM (SELECT team_id FROM beta_experiences WHERE team_id = :team_id LIMIT 1) AS published
LIMIT 1

-- name: move_drafts
UPDATE beta_drafts SET team_id = :target
WHERE team_id = :source AND org_id = :org_id
    AND NOT EXISTS (SELECT 1 FROM beta_drafts AS there WHERE there.team_id = :target)

-- name: move_experiences
UPDATE beta_experiences SET team_id = :target WHERE team_id = :source AND org_id = :org_id
