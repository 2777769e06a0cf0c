"""What the tests of the store stand on."""

from builtin_plugins.s3_store.tests.object_store import object_store, s3_environment

__all__ = ["object_store", "s3_environment"]
