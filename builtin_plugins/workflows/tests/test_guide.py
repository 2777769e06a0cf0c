"""The example of docs/runs.md, as it stands there."""

import re
from pathlib import Path

import pytest

from builtin_plugins.workflows.tests.conftest import ref, tool

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PAGE = Path(__file__).parents[3] / "docs" / "runs.md"


async def test_the_example_of_the_page_starts_a_run(flows):
    path, body = re.search(r"\$URL(\S+) .*? -d '(.*)'", PAGE.read_text("utf-8")).groups()
    await flows.publish(tool("a", ref("input.message")), slug="hello", inputs={"message": "string"})
    answer = await flows.hall.acme.member.post(path, content=body.encode())
    assert (answer.status_code, answer.json()["state"]) == (202, "running")
    assert answer.headers["Location"] == f"/api/runs/{answer.json()['id']}"
