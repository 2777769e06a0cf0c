-- name: people
INSERT INTO users (id, org_id, username, username_key, display_name, locale, operator, two_factor, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'usr_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), 'person.' || CAST(i AS TEXT),
    'person.' || CAST(i AS TEXT), 'Person', 'en', 0, 0, 0
FROM n

-- name: members
INSERT INTO memberships (team_id, user_id, role, created_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT CAST(:team_id AS TEXT), 'usr_' || CAST(1000000000 + i AS TEXT), 'member', 0 FROM n

-- name: attributes
INSERT INTO scim_users (user_id, org_id, user_name, user_name_key, external_id, attributes, updated_at)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT 'usr_' || CAST(1000000000 + i AS TEXT), CAST(:org_id AS TEXT), 'person.' || CAST(i AS TEXT),
    'person.' || CAST(i AS TEXT), CAST(i AS TEXT), CAST(:attributes AS TEXT), 0
FROM n
