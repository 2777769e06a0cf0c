CREATE TABLE sample_plugin_items (
    id $ID PRIMARY KEY,
    team_id $ID NOT NULL,
    text TEXT NOT NULL
);

CREATE INDEX sample_plugin_items_of_team ON sample_plugin_items (team_id, id);
