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


def read(tmp_path, text, parts=()):
    path = tmp_path / "queries.sql"
    path.write_text(text)
    return _read_queries(path, parts)


def test_a_part_stands_wherever_it_is_used_in_the_spelling_of_each_database(tmp_path):
    by_id = read(tmp_path, SHARED).by_id
    assert by_id.sqlite == "SELECT\n    id,\n    title\nFROM notes\nWHERE id = :id"
    assert "    CAST(title AS TEXT) AS title\nFROM notes" in by_id.postgresql
    assert by_id.quick and not by_id.part


def same(text):
    return text


@pytest.mark.parametrize(
    "saved",
    [
        same,
        str.rstrip,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text.lstrip(),
        lambda text: text.replace("\n", " \t\n"),
        lambda text: text.replace("-- name: ", "--\tname:\t"),
        lambda text: text.replace("\n\n", "\n-- of the next: -- name: none\n\n"),
    ],
)
def test_a_file_reads_alike_however_an_editor_saves_it(tmp_path, saved):
    path = tmp_path / "queries.sql"
    path.write_bytes(saved(SHARED).encode())
    queries = _read_queries(path)
    assert [one.name for one in queries] == ["columns", "from_notes", "by_id"]
    lines = [line.strip() for line in queries.by_id.sqlite.splitlines() if "none" not in line]
    assert lines == ["SELECT", "id,", "title", "FROM notes", "WHERE id = :id"]


@pytest.mark.parametrize("text", ["", "\n", "-- only a remark\n", "SELECT 1\n"])
def test_a_file_without_statements_is_no_error(tmp_path, text):
    assert list(read(tmp_path, text)) == []


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


def test_a_part_of_another_file_stands_wherever_it_is_used(tmp_path):
    shared = read(tmp_path, SHARED)
    found = read(tmp_path, "-- name: all\nSELECT\n    -- use: columns\nFROM notes\n", shared)
    assert [one.name for one in found] == ["all"]
    assert f"{found.all.sqlite}\nWHERE id = :id" == shared.by_id.sqlite
    assert f"{found.all.postgresql}\nWHERE id = :id" == shared.by_id.postgresql


def test_only_a_part_of_another_file_can_be_used(tmp_path):
    shared = read(tmp_path, SHARED)
    with pytest.raises(ValueError, match="uses by_id, which is no part before it"):
        read(tmp_path, "-- name: all\n-- use: by_id\n", shared)
