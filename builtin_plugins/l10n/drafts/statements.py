"""The statements of drafts."""

from pathlib import Path

from guildhall_sdk import load_queries

sql = load_queries(Path(__file__).with_name("queries.sql"))
