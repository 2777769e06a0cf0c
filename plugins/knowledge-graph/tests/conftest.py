"""What the tests of the plugin share."""

from builtin_plugins.repo.tests.reading_here import texts_are_read_here

__all__ = ["texts_are_read_here"]
