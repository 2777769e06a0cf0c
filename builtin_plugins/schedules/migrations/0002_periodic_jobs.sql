-- When each periodic job of a plugin comes next. While a time is being enqueued team by team, `after_team` is the last
-- that has its job; `form` is what the plugin last said of it.
CREATE TABLE periodic_jobs (
    plugin $ID NOT NULL,
    kind $ID NOT NULL,
    form TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    after_team $ID NOT NULL,
    PRIMARY KEY (plugin, kind)
);
