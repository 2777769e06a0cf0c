"""Clients of the HTTP API, made from the route table."""
