-- name: object_written [quick]
SELECT run_id FROM run_waits WHERE key = 'event:object.written' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: object_moved [quick]
SELECT run_id FROM run_waits WHERE key = 'event:object.moved' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: object_deleted [quick]
SELECT run_id FROM run_waits WHERE key = 'event:object.deleted' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: note_changed [quick]
SELECT run_id FROM run_waits WHERE key = 'event:note.changed' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: member_joined [quick]
SELECT run_id FROM run_waits WHERE key = 'event:member.joined' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: member_left [quick]
SELECT run_id FROM run_waits WHERE key = 'event:member.left' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: member_suspended [quick]
SELECT run_id FROM run_waits WHERE key = 'event:member.suspended' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: member_resumed [quick]
SELECT run_id FROM run_waits WHERE key = 'event:member.resumed' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: run_ended [quick]
SELECT run_id FROM run_waits WHERE key = 'event:run.ended' AND team_id = :team_id AND fired = 0 LIMIT 1

-- name: any_of_team [quick]
SELECT 1 AS found FROM teams_that_wait WHERE team_id = :team_id
