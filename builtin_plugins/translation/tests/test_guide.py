"""The requests of the guide are answered as the guide says."""

import json

import pytest

from tests.documented import fits, requests_of

pytestmark = pytest.mark.any_database


@pytest.mark.every_database
async def test_what_the_guide_shows_is_what_is_answered(hall):
    examples = requests_of("docs/translation.md")
    assert len(examples) == 3
    for method, path, body, shown in examples:
        _, said = await hall.acme.owner.call(method, path, json.loads(body))
        assert fits(said, json.loads(shown)), f"{method} {path}: {json.dumps(said, indent=2)}"
