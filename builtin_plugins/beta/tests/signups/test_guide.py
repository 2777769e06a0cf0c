"""The requests of the guide are answered as the guide says."""

import json

import pytest

from builtin_plugins.beta.signup.challenge import solve
from tests.documented import fits, requests_of

pytestmark = pytest.mark.any_database


async def test_what_the_guide_shows_is_what_is_answered(visitors):
    examples = requests_of("docs/beta-signups.md")
    assert len(examples) == 5
    challenge, prospect_id = None, ""
    for method, path, body, shown in examples:
        sent = json.loads(body) if body else None
        if path == "/api/beta/signup":
            sent["challenge"] = solve(challenge)
        answer = await visitors.company.admin.request(
            method, path.replace(":id", prospect_id), sent, headers=visitors.headers()
        )
        assert answer.status_code in (200, 201, 204), f"{method} {path}: {answer.text}"
        said = answer.json() if answer.content else None
        if path == "/api/beta/challenge":
            challenge = said
        if path.startswith("/api/beta/prospects?"):
            prospect_id = said["items"][0]["id"]
        if shown:
            assert fits(said, json.loads(shown)), f"{method} {path}: {json.dumps(said, indent=2)}"
    assert await visitors.prospects() == []
