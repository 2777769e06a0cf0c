"""The harness: a real server in one line, on both databases, for us and for plugin authors."""
