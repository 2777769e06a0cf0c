"""Files of named statements: what two of them share stands there once."""

import pytest

from guildhall_sdk.data import _read_queries

SHARED = """
-- name: columns [part]
id,
title -- (sqlite)
CAST(title AS TEXT) AS title -- (postgresql)

-- name: from_notes [part]
SELECT
    -- use: columns
FROM notes

-- name: by_id [quick]
-- use: from_notes
WHERE id = :id
"""


def read(tmp_path, text):
    path = tmp_path / "queries.sql"
    path.write_text(text)
    return _read_queries(path)


def test_a_part_stands_wherever_it_is_used_in_the_spelling_of_each_database(tmp_path):
    by_id = read(tmp_path, SHARED).by_id
    assert by_id.sqlite == "SELECT\n    id,\n    title\nFROM notes\nWHERE id = :id"
    assert "    CAST(title AS TEXT) AS title\nFROM notes" in by_id.postgresql
    assert by_id.quick and not by_id.part


@pytest.mark.parametrize(
    "text",
    [
        "-- name: a\nSELECT\n-- use: missing\n",
        "-- name: a\nSELECT\n-- use: later\n-- name: later [part]\n1\n",
        "-- name: whole\nSELECT 1\n-- name: a\nSELECT\n-- use: whole\n",
    ],
)
def test_what_is_no_part_before_it_cannot_be_used(tmp_path, text):
    with pytest.raises(ValueError, match=r"uses (missing|later|whole), which is no part before it"):
        read(tmp_path, text)
