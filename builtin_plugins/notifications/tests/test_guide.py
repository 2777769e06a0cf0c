"""The requests of the guide are answered as the guide says."""

import json

import pytest

from tests.documented import fits, requests_of

pytestmark = pytest.mark.any_database


async def test_what_the_guide_shows_is_what_is_answered(hall, share):
    await hall.acme.member.post("/api/profile", {"display_name": "Ada"})
    await share(hall.acme.member, hall.acme.colleague, "The plan")
    requests = requests_of("docs/notifications.md")
    assert len(requests) == 4
    for method, path, body, shown in requests:
        status, said = await hall.acme.colleague.call(method, path, json.loads(body) if body else None)
        assert status == 200, f"{method} {path}: {said}"
        if shown:
            assert fits(said, json.loads(shown)), json.dumps(said, indent=2)
