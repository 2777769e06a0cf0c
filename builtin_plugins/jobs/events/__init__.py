"""Events of jobs: kept in a table, and sent to whoever follows them."""
