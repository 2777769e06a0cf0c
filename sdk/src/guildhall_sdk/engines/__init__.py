"""Database engines: what a plugin brings so that `SERVICE_DATABASE_URL` may name its kind of database.

A plugin declares a `DatabaseEngine` by `declare_engines`; the scheme of the URL chooses one. The server opens
scopes, runs named statements and applies migrations. The engine has the connections, decides who is given
one, and knows how its database is copied, checked and described. Whoever writes one runs
`guildhall_testing.engine_conformance` against it.
"""
