"""Opening a conversation asks as much of the database however long it is."""

import time

import pytest

from guildhall_sdk import Statement
from guildhall_testing.statements import before_statements
from guildhall_testing.watch import Watch

pytestmark = pytest.mark.own_server

_FILL = """
INSERT INTO conversation_messages (
    id, conversation_id, org_id, parent_id, role, state, author_id, attempt, said_from, created_at, size,
    asked, progress, tools, citations, words, parts
)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST(:many AS BIGINT))
SELECT
    CAST(:id AS TEXT) || '_' || CAST(10000 + i AS TEXT), CAST(:id AS TEXT), conversations.org_id,
    CASE WHEN i > 1 THEN CAST(:id AS TEXT) || '_' || CAST(9999 + i AS TEXT) END,
    CASE WHEN i % 2 = 1 THEN 'user' ELSE 'assistant' END, 'done', conversations.owner_id, 0, 0, 1, 40, '{}',
    '{}', '[]', '[]', 'words', '[{"type": "text", "text": "Forty characters of an answer or a question."}]'
FROM n CROSS JOIN conversations WHERE conversations.id = :id
"""
_LEAD = "UPDATE conversations SET current_id = :leaf WHERE id = :id"
READ = "opening-of-a-conversation"
FILL, LEAD = Statement("fill", _FILL, _FILL), Statement("lead", _LEAD, _LEAD)


async def of_length(hall, begin, many):
    talk = await begin()
    async with hall.server.data.write() as writer:
        await writer.run(FILL, id=talk.id, many=many)
        await writer.run(LEAD, id=talk.id, leaf=f"{talk.id}_{10000 + many}")
    return talk


async def test_a_conversation_of_a_thousand_messages_opens_as_one_of_thirty(hall, begin, monkeypatch):
    made = {many: await of_length(hall, begin, many) for many in (10, 30, 1_000)}
    asked = []

    def note(call):
        if call.request_id == READ:
            asked.append(call.statement.name)

    before_statements(monkeypatch.setattr, note)
    statements = {}
    for many, talk in made.items():
        asked.clear()
        found = (await talk.client.get(talk.path, headers={"X-Request-ID": READ})).json()
        statements[many] = [*asked]
        assert len(found["messages"]) == min(many, 30)
        assert (found["earlier"] is None) == (many <= 30)
    assert 0 < len(statements[10]) < 12
    assert statements[10] == statements[30] == statements[1_000]


@pytest.fixture
def unwatched(monkeypatch):
    """A server alone: what tests look for in each reply takes longer, in the same process."""
    for what in ("observe", "learn_from"):
        monkeypatch.setattr(Watch, what, lambda *_: None)


@pytest.mark.long_form
async def test_how_long_opening_takes(unwatched, hall, begin, capsys):
    made = {many: await of_length(hall, begin, many) for many in (10, 1_000)}
    took = {many: [] for many in made}
    for _ in range(40):
        for many, talk in made.items():
            started = time.perf_counter()
            await talk.read()
            took[many].append(time.perf_counter() - started)
    short, long = (min(took[many]) for many in (10, 1_000))
    with capsys.disabled():
        figures = f"{short * 1000:.1f} ms and {long * 1000:.1f} ms"
        text = f"10 and 1,000 messages: {figures}, {long / short:.2f} times"
        print(text)  # noqa: T201
    assert long < 2 * short
