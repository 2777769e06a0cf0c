"""Plugins as objects, as the tests that cross packages make them."""

from tests.conftest import make_plugin

__all__ = ["make_plugin"]
