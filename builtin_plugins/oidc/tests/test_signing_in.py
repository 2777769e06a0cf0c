"""Coming in by OpenID Connect: who, as what, and out again."""

import pytest

pytestmark = pytest.mark.shared_server


async def who(hall, token):
    answer = await hall.bearer(token).get("/api/whoami")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_somebody_new_becomes_a_person_of_the_company(hall, browser, set_up):
    way = await set_up()
    ended = await browser.sign_in(way)
    found = await who(hall, ended["token"])
    assert found["org"]["id"] == hall.acme.org_id
    assert found["user"]["display_name"] == "Ada"
    assert found["team"]["role"] == "member"
    # And is the same one the next time.
    again = await who(hall, (await browser.sign_in(way))["token"])
    assert again["user"]["id"] == found["user"]["id"]
