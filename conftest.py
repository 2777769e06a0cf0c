"""For every test of this repository: property tests draw the same examples each time."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
