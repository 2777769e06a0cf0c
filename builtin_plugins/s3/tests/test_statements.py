"""How often a small PUT and a small GET ask the database; `pytest -s` prints them in their order."""

import hashlib
import os

import pytest

from guildhall_testing.statements import before_locks, before_statements

pytestmark = pytest.mark.shared_server

SIZE = 4 * 1024


@pytest.fixture
def statements_of(monkeypatch):
    """`await statements_of(send)`: what a request asks the database, once it has been there before.

    Locks that are taken together are one statement to PostgreSQL, and nothing to SQLite.
    """

    async def statements_of(hall, send):
        asked = []

        def note(call):
            if call.request_id is not None:
                asked.append(f"{call.statement.name}{'' if call.writing else ' (read)'}")

        def note_locks(keys):
            if hall.database == "postgresql":
                asked.append(" and ".join(f"lock {key.partition(':')[0]}" for key in keys))

        await send()
        with monkeypatch.context() as patched:
            before_statements(patched.setattr, note)
            before_locks(patched.setattr, note_locks)
            await send()
        print(len(asked), *asked, sep="\n  ")  # noqa: T201
        return asked

    return statements_of


@pytest.fixture
def put(http, signed):
    async def put(key):
        body = os.urandom(SIZE)
        digest = hashlib.sha256(body).hexdigest()
        url, headers = signed("PUT", key, body=body, **{"x-amz-content-sha256": digest})
        answer = await http.put(url, content=body, headers=headers)
        assert answer.status_code == 200, answer.text

    return put


async def test_a_small_put_of_a_new_key_asks_little(hall, statements_of, put):
    keys = iter(["/first", "/second"])
    asked = await statements_of(hall, lambda: put(next(keys)))
    assert len(asked) <= 8


async def test_a_small_put_over_another_version_asks_little(hall, statements_of, put):
    asked = await statements_of(hall, lambda: put("/again"))
    assert len(asked) <= 7


async def test_a_small_put_of_a_text_asks_little(hall, statements_of, put):
    asked = await statements_of(hall, lambda: put("/again.txt"))
    assert len(asked) <= 8


async def test_a_small_get_asks_little(hall, statements_of, put, http, signed):
    await put("/read")

    async def get():
        url, headers = signed("GET", "/read")
        answer = await http.get(url, headers=headers)
        assert answer.status_code == 200 and len(answer.content) == SIZE

    assert len(await statements_of(hall, get)) <= 2
