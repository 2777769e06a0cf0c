"""The databases of kernel/db/tests, which the tests of an engine open as those of the kernel do."""

from guildhall_testing.counters import database, url

__all__ = ["database", "url"]
