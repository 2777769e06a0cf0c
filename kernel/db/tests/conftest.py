"""Both databases for the tests of kernel/db; a test that asks for `database` runs once on each."""

from guildhall_testing.counters import database, url

__all__ = ["database", "url"]
