"""The databases of kernel/tests, with the vault and the trail as the boot puts them together."""

from kernel.tests.conftest import clock, database_url, migrated, opened, process, secret_key

__all__ = ["clock", "database_url", "migrated", "opened", "process", "secret_key"]
