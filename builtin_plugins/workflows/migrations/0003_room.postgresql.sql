-- Room on each page for what changes after it was inserted: then no index has to be told of it.
ALTER TABLE runs SET (fillfactor = 60);

ALTER TABLE run_steps SET (fillfactor = 60);

ALTER TABLE run_items SET (fillfactor = 50);
