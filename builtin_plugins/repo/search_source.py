"""How search finds objects, and whom it shows them to."""

from pathlib import Path

from builtin_plugins.repo.rights import READ
from builtin_plugins.repo.texts import TYPE
from guildhall_sdk import SearchSource, load_queries

sql = load_queries(Path(__file__).with_name("search_source.sql"))

OBJECTS = SearchSource(
    TYPE, READ, "/api/repo-obj/{id}", sql.readable, sql.readable_in_org, every=sql.every, few=sql.few
)
SOURCES = (OBJECTS,)
