"""The database: scopes to read and to write, and migrations; an engine has the connections."""
