"""From the socket to a handler and back: one dispatcher, one table, the gates in order."""
