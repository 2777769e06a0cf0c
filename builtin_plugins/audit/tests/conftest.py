"""Migrated databases, with the vault and the trail as the boot puts them together."""

from guildhall_testing.migrated_databases import clock, database_url, migrated, opened, process, secret_key

__all__ = ["clock", "database_url", "migrated", "opened", "process", "secret_key"]
