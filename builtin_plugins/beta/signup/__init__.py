"""Signing up: the challenge, what keeps robots out, and how a prospect is captured."""
