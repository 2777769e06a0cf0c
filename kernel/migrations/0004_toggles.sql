-- What a team switched; without a row the declaration's default holds.
CREATE TABLE team_toggles (
    team_id $ID NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('feature', 'tool')),
    name $ID NOT NULL,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (team_id, kind, name)
);
