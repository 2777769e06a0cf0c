"""The databases of tests/kernel, with the vault and the trail as the boot puts them together."""

from tests.kernel.conftest import clock, database_url, migrated, opened, process, secret_key

__all__ = ["clock", "database_url", "migrated", "opened", "process", "secret_key"]
