-- What a team switched of features and plugins, as one JSON object of `kind:name` to true or false: it is read
-- together with the caller, so that nobody asks for it again. NULL where nothing was ever switched.
ALTER TABLE teams ADD COLUMN switches TEXT;

UPDATE teams SET switches = (
    SELECT json_group_object(
        'feature:' || name, json(CASE enabled WHEN 1 THEN 'true' ELSE 'false' END)
    )
    FROM team_toggles WHERE team_toggles.team_id = teams.id AND kind = 'feature'
)
WHERE id IN (SELECT team_id FROM team_toggles WHERE kind = 'feature');

DELETE FROM team_toggles WHERE kind = 'feature';
