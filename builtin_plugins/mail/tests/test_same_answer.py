"""Whoever is asked for, the answer to a forgotten password costs the same."""

import pytest

from builtin_plugins.mail.mailbox import sql

pytestmark = pytest.mark.any_database


async def test_the_answer_is_made_by_the_same_statements_for_whoever_is_asked_for(hall, invite, monkeypatch):
    await invite("grace", "grace@example.com")
    asked = []

    def noting(original):
        async def run(self, statement, **binds):
            asked.append(statement.name)
            return await original(self, statement, **binds)

        return run

    async with hall.server.data.write() as writer:
        kind = type(writer)
    for name in ("run", "one", "all", "value"):
        if name in vars(kind):
            monkeypatch.setattr(kind, name, noting(getattr(kind, name)))
    seen = []
    for named in (
        {"username": "grace"},
        {"username": "nobody"},
        {"email": "grace@example.com"},
        {"email": "nobody@example.com"},
    ):
        asked.clear()
        answer = await hall.anonymous.post("/api/password/forgot", named)
        seen.append((answer.status_code, answer.json(), [*asked]))
    assert seen == [seen[0]] * 4
    assert sql.ask_reset.name in seen[0][2]
