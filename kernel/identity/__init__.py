"""Credentials, passwords, and who is calling."""
