"""The requests of docs/api.md, as they stand there, one after the other."""

import json
import re
from pathlib import Path

import pytest

from tests.documented import fits

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PAGE = Path(__file__).parents[3] / "docs" / "api.md"
SHOWN = re.compile(r"```http\n(\w+) (\S+)\n(.*?)```(?:\n\n```json\n(.*?)```)?", re.DOTALL)


def requests():
    """Yields method, path, headers, body and the answer that is shown, if one is."""
    for method, path, rest, answer in SHOWN.findall(PAGE.read_text("utf-8")):
        lines, _, body = rest.partition("\n\n") if not rest.startswith("\n") else ("", "", rest)
        headers = dict(line.split(": ", 1) for line in lines.splitlines() if line)
        yield method, path, headers, body.strip(), json.loads(answer) if answer else None


async def test_the_requests_of_the_page_are_answered_as_it_says(hall):
    caller, answers = hall.acme.admin, []
    for method, path, headers, body, shown in requests():
        if path == "/api/login":
            body = json.dumps({"username": caller.username, "password": hall.password})
        notes = [one["id"] for one in answers if one.get("id", "").startswith("note_")]
        path = path.replace("$NOTE", *notes[-1:]) if "$NOTE" in path else path
        answer = await caller.request(method, path, content=body.encode(), headers=headers)
        answers.append(answer.json())
        if shown is None:
            assert answer.status_code < 300, answer.text
        else:
            assert fits(answers[-1], shown), answers[-1]
    assert len(answers) == 7


async def test_a_post_that_is_sent_again_happens_once(hall):
    (method, path, headers, body, _) = list(requests())[-1]
    first, again = [
        await hall.acme.admin.request(method, path, content=body.encode(), headers=headers) for _ in range(2)
    ]
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    listed = (await hall.acme.admin.get("/api/notes")).json()["items"]
    assert [note["title"] for note in listed].count("Monday") == 1
