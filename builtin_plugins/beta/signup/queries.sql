-- name: count_arrivals [quick]
SELECT
    (SELECT COUNT(*) FROM (
        SELECT 1 FROM beta_arrivals WHERE address = :address AND at > :floor LIMIT :of_address
    ) AS counted) AS of_address,
    (SELECT COUNT(*) FROM (
        SELECT 1 FROM beta_arrivals WHERE subnet = :subnet AND at > :floor LIMIT :of_subnet
    ) AS counted) AS of_subnet

-- name: nth_arrivals [quick]
-- The sign-up that has to be an hour old before another is taken; none while there is room.
SELECT
    (
        SELECT at FROM beta_arrivals WHERE address = :address AND at > :floor
        ORDER BY at DESC LIMIT 1 OFFSET :of_address
    ) AS of_address,
    (
        SELECT at FROM beta_arrivals WHERE subnet = :subnet AND at > :floor
        ORDER BY at DESC LIMIT 1 OFFSET :of_subnet
    ) AS of_subnet

-- name: insert_arrival [quick]
INSERT INTO beta_arrivals (nonce, address, subnet, at) VALUES (:nonce, :address, :subnet, :now)
ON CONFLICT (nonce) DO NOTHING
RETURNING nonce

-- name: sweep_arrivals (sqlite)
DELETE FROM beta_arrivals
WHERE nonce IN (SELECT nonce FROM beta_arrivals WHERE at <= :floor ORDER BY at LIMIT :max_rows)
RETURNING nonce

-- name: sweep_arrivals (postgresql)
-- By their places: what has no number in its plan would be joined with all that are there.
DELETE FROM beta_arrivals WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM beta_arrivals WHERE at <= :floor ORDER BY at LIMIT :max_rows FOR UPDATE SKIP LOCKED
))
RETURNING nonce

-- name: suspended [quick]
SELECT suspended_at FROM published_companies WHERE id = :org_id

-- name: put_prospect [quick]
-- Somebody who is known already is left as they are but for the count: the answer is the same, and so is the work.
INSERT INTO beta_prospects (
    id, org_id, team_id, experience_id, email_key, fields, words, locale, signals, honeypot, judge_problem,
    repeats, status, created_at
) VALUES (
    :id, :org_id, :team_id, :experience_id, :email_key, :fields, :words, :locale, :signals, :honeypot, :judge_problem,
    0, 'captured', :now
)
ON CONFLICT (team_id, email_key) DO UPDATE SET repeats = beta_prospects.repeats + 1
RETURNING id
