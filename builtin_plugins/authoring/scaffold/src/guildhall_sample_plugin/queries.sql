-- name: insert_item
INSERT INTO sample_plugin_items (id, team_id, text) VALUES (:id, :team_id, :text)

-- name: item_of_team
SELECT id, text FROM sample_plugin_items WHERE team_id = :team_id AND id = :id

-- name: items_of_team
SELECT id, text FROM sample_plugin_items WHERE team_id = :team_id ORDER BY id DESC LIMIT :limit

-- name: items_of_team_before
SELECT id, text FROM sample_plugin_items WHERE team_id = :team_id AND id < :cursor ORDER BY id DESC LIMIT :limit

-- name: delete_item
DELETE FROM sample_plugin_items WHERE team_id = :team_id AND id = :id
