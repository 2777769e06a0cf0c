"""The requests of the guide are answered as the guide says."""

import json

import pytest

from tests.documented import fits, requests_of

pytestmark = pytest.mark.any_database


async def test_what_the_guide_shows_is_what_is_answered(hall):
    ((method, path, body, shown),) = requests_of("docs/mail.md")
    status, said = await hall.anonymous.call(method, path, json.loads(body))
    assert (status, fits(said, json.loads(shown))) == (202, True)
