-- Only PostgreSQL has to be told something; see the file beside this one.
SELECT 1;
