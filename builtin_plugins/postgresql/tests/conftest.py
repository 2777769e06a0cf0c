"""The databases of kernel/db/tests, which the tests of an engine open as those of the kernel do."""

from kernel.db.tests.conftest import commits, database, held_commit, line, url, without_hurry

__all__ = ["commits", "database", "held_commit", "line", "url", "without_hurry"]
