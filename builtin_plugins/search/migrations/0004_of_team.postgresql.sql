-- Only SQLite needs something; see the file beside this one.
SELECT 1;
