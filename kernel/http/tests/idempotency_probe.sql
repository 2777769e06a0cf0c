-- name: forget_answers
UPDATE idempotency_keys SET state = 'applied', status = NULL, answer = NULL

-- name: back_to_running
UPDATE idempotency_keys SET state = 'running', status = NULL, answer = NULL

-- name: state
SELECT state FROM idempotency_keys

-- name: let_leases_lapse
UPDATE idempotency_keys SET lease_until = 0
