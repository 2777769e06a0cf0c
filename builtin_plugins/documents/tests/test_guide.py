"""The requests of the guide are answered as the guide says."""

import json

import pytest

from tests.documented import fits, requests_of

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def test_what_the_guide_shows_is_what_is_answered(hall):
    examples = requests_of("docs/documents.md")
    assert len(examples) == 4
    member, uploaded = hall.acme.member, ""
    for method, path, body, example in examples:
        url, sent = (text.replace("obj_…", uploaded) for text in (path, body))
        more = {"content": sent.encode()} if method == "PUT" else {"json": json.loads(sent)} if sent else {}
        response = await member.request(method, url, **more)
        assert response.status_code < 300, response.text
        uploaded = uploaded or response.json()["id"]
        if method == "POST":
            await hall.drain_jobs()
        if example:
            assert fits(response.json(), json.loads(example)), json.dumps(response.json(), indent=2)
