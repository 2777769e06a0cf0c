"""Catalogs: what is read from files, approved in the database, and served to screens."""
