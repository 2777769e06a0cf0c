"""What the drivers are given for a statement, against the databases' own idea of it."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builtin_plugins.sqlite.connection import split_statements
from guildhall_testing.databases import database_at, statement
from kernel.db.database import Database

TEXTS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=12)
TRICKS = st.sampled_from(
    [":name", "::text", '{"a":1}', "%s", "100%", "it''s", "--", "/*", "*/", ";", "$1", "?", '"', "a:b", "$ID"]
)
LITERALS = st.lists(st.one_of(TRICKS, TEXTS), max_size=4).map("".join)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
async def connected(request: pytest.FixtureRequest, tmp_path_factory) -> AsyncIterator[Database]:
    from guildhall_testing.postgres import session_server

    folder = tmp_path_factory.mktemp("statements")
    url = f"sqlite:///{folder}/s.db" if request.param == "sqlite" else session_server().create_database()
    database = database_at(url)
    await database.connect()
    yield database
    await database.disconnect()


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(literal=LITERALS, comment=LITERALS, x=TEXTS, y=st.integers(-(2**63), 2**63 - 1))
async def test_binds_are_found_among_literals_comments_and_casts(
    connected: Database, literal: str, comment: str, x: str, y: int
) -> None:
    line = comment.replace("\n", " ").replace("\r", " ")
    cast = "::text" if connected.dialect == "postgresql" else ""
    asked = statement(
        f"SELECT {quoted(literal)} AS literal, CAST(:x AS TEXT) AS x, -- {line}\n"
        f"CAST(:y AS BIGINT) AS y, {quoted(literal)}{cast} AS again, CAST(:x AS TEXT) || '%' AS twice,"
        f" 7 % 4 AS rest"
    )
    async with connected.read() as reader:
        row = await reader.one(asked, x=x, y=y, unused=1)
    assert row is not None
    assert dict(row) == {
        "literal": literal,
        "x": x,
        "y": y,
        "again": literal,
        "twice": x + "%",
        "rest": 3,
    }


async def test_a_missing_bind_is_an_error(connected: Database) -> None:
    with pytest.raises(Exception, match="x"):
        async with connected.read() as reader:
            await reader.one(statement("SELECT CAST(:x AS TEXT)"))


@given(st.lists(LITERALS, min_size=1, max_size=4), LITERALS)
def test_a_script_is_cut_between_its_statements(literals: list[str], comment: str) -> None:
    line = comment.replace("\n", " ").replace("\r", " ")
    block = comment.replace("*/", "").replace("*", "")
    script = "".join(f"-- {line}\nSELECT {quoted(literal)} /* {block} */;\n" for literal in literals)
    pieces = list(split_statements(script))
    assert "".join(pieces).strip() == script.strip()
    assert [piece.count("SELECT '") for piece in pieces if "SELECT '" in piece] != []
    assert len(pieces) == len(literals)


def test_a_trigger_is_one_statement() -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM b; END;"
    assert list(split_statements(f"SELECT 1;{trigger}SELECT 2")) == ["SELECT 1;", trigger, "SELECT 2"]
