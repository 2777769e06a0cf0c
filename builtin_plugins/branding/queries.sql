-- name: brandings_for
-- The instance's branding, that of the caller's company, and that of the company which has this hostname.
SELECT owner, title, tagline, theme, logo_set, logo_digest
FROM brandings
WHERE owner IN ('instance', :org_id, (SELECT id FROM published_companies WHERE domain = :hostname))

-- name: put_branding
-- NULL leaves a field as it is; a logo is set, to none too, where logo_set says so.
INSERT INTO brandings (owner, org_id, title, tagline, theme, logo_set, logo_digest, updated_at)
VALUES (:owner, :org_id, :title, :tagline, :theme, :logo_set, :logo_digest, :now)
ON CONFLICT (owner) DO UPDATE
SET title = COALESCE(excluded.title, brandings.title),
    tagline = COALESCE(excluded.tagline, brandings.tagline),
    theme = COALESCE(excluded.theme, brandings.theme),
    logo_digest = CASE excluded.logo_set WHEN 1 THEN excluded.logo_digest ELSE brandings.logo_digest END,
    logo_set = CASE excluded.logo_set WHEN 1 THEN 1 ELSE brandings.logo_set END,
    updated_at = excluded.updated_at

-- name: drop_branding
DELETE FROM brandings WHERE owner = :owner RETURNING owner

-- name: put_logo
INSERT INTO branding_logos (owner, digest, org_id, team_id, content_type, size, data, created_at)
VALUES (:owner, :digest, :org_id, :team_id, :content_type, :size, :data, :now)
ON CONFLICT (owner, digest) DO NOTHING
RETURNING digest

-- name: logo_of
SELECT digest FROM branding_logos WHERE owner = :owner AND digest = :digest

-- name: sweep_logos
DELETE FROM branding_logos
WHERE owner = :owner
    AND digest <> COALESCE((SELECT logo_digest FROM brandings WHERE brandings.owner = :owner), '')
RETURNING team_id, size

-- name: logo_by_digest
-- Public by design: whoever knows the digest gets the bytes, and nothing about whose they are.
SELECT content_type, data FROM branding_logos WHERE digest = :digest LIMIT 1

-- name: move_to_team
UPDATE branding_logos SET team_id = :target WHERE owner = :org_id AND team_id = :source
