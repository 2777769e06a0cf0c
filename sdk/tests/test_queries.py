"""The loader of named statements."""

from guildhall_sdk import load_queries

TEXT = """-- name: next_one [quick]
SELECT id FROM things
WHERE state = 'new' -- the others are done
FOR UPDATE SKIP LOCKED -- (postgresql)
LIMIT 1 -- (sqlite)
"""


def test_a_line_may_be_for_one_database_alone(tmp_path):
    file = tmp_path / "queries.sql"
    file.write_text(TEXT)
    statement = load_queries(file).next_one
    begin = "SELECT id FROM things\nWHERE state = 'new' -- the others are done\n"
    assert (statement.sqlite, statement.postgresql) == (
        f"{begin}LIMIT 1",
        f"{begin}FOR UPDATE SKIP LOCKED",
    )
