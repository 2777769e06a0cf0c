"""Finding plugins, letting them in whole or not at all, and calling their hooks."""
