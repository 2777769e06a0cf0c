"""Providers, browsers and neighbours that are not what they seem: each is refused, and told why."""

import httpx
import pytest

from builtin_plugins.oidc import provider as provider_module
from builtin_plugins.oidc.tests.conftest import Browser

pytestmark = pytest.mark.shared_server


def error_of(ended):
    assert "token" not in ended
    return ended["error"]


@pytest.mark.parametrize(
    ("lie", "error"),
    [
        ({"iss": "https://evil.test"}, "token_invalid"),
        ({"iss": None}, "token_invalid"),
        ({"aud": "another client"}, "token_invalid"),
        ({"aud": ["guildhall", "another"]}, "token_invalid"),
        ({"aud": ["guildhall", "another"], "azp": "another"}, "token_invalid"),
        ({"nonce": "somebody else's"}, "token_invalid"),
        ({"nonce": None}, "token_invalid"),
        ({"sub": None}, "token_invalid"),
        ({"nonce": "half a sign \ud800"}, "provider_invalid"),
        ({"sub": "x" * 300}, "token_invalid"),
        ({"exp": None}, "token_invalid"),
        ({"iat": "now"}, "token_invalid"),
        ({"exp": 1}, "clock_wrong"),
        ({"iat": 10**11}, "clock_wrong"),
        ({"nbf": 10**11}, "clock_wrong"),
    ],
)
async def test_a_token_that_says_something_wrong(hall, browser, provider, set_up, lie, error):
    way = await set_up()
    provider.tamper = lie
    assert error_of(await browser.sign_in(way)) == error


@pytest.mark.parametrize("forgery", ["unsigned", "signed_by_public_key", "signed_by_other"])
async def test_a_token_that_the_provider_did_not_sign(hall, browser, provider, set_up, forgery):
    way = await set_up()
    provider.sign = getattr(provider, forgery)
    assert error_of(await browser.sign_in(way)) == "token_invalid"


async def test_a_token_whose_claims_were_exchanged(hall, browser, provider, set_up):
    way = await set_up()
    honest = provider.sign

    def spliced(claims):
        head, _, signature = honest(claims).split(".")
        _, claimed, _ = honest({**claims, "sub": "somebody else"}).split(".")
        return f"{head}.{claimed}.{signature}"

    provider.sign = spliced
    assert error_of(await browser.sign_in(way)) == "token_invalid"


@pytest.mark.parametrize("token", [None, 7, "", "a.b.c", "x" * 40_000, "e30.e30.e30", ".."])
async def test_what_is_no_token(hall, browser, provider, set_up, token):
    way = await set_up()
    provider.sign = lambda claims: token
    assert error_of(await browser.sign_in(way)) == "token_invalid"


async def test_keys_are_renewed_and_old_ones_hold_no_more(hall, browser, provider, set_up):
    from joserfc.jwk import RSAKey

    way = await set_up()
    assert "token" in await browser.sign_in(way)
    before = provider.paths.count("/keys")
    provider.keys = [RSAKey.generate_key(2048, {"kid": "second", "use": "sig"})]
    assert "token" in await browser.sign_in(way)
    assert provider.paths.count("/keys") == before + 1
    provider.header = {"kid": "a key that is none"}
    for _ in range(12):
        assert error_of(await browser.sign_in(way)) == "key_unknown"
    # Whoever invents keys does not have the provider asked each time.
    assert provider.paths.count("/keys") <= before + 1 + provider_module.REFETCHES


async def test_a_code_comes_from_the_browser_that_began(hall, browser, provider, set_up):
    way = await set_up()
    theirs = provider.authorize(await browser.start(way))
    stranger = Browser(hall, provider)
    assert error_of(await stranger.back(theirs)) == "state_invalid"
    await stranger.start(way)
    assert error_of(await stranger.back(theirs)) == "state_invalid"
    assert "token" in await browser.back(theirs)


async def test_a_code_is_good_once_even_where_the_provider_forgets(hall, browser, provider, set_up):
    way = await set_up()
    provider.forgetful = True
    back = provider.authorize(await browser.start(way))
    assert "token" in await browser.back(back)
    assert error_of(await browser.back(back)) == "state_invalid"


async def test_a_swapped_code_is_refused(hall, browser, provider, set_up):
    """A code of one sign-in, put into the answer of another, is for another verifier."""
    way = await set_up()
    mine = httpx.URL(provider.authorize(await browser.start(way)))
    theirs = httpx.URL(provider.authorize(await browser.start(way)))
    swapped = mine.copy_set_param("code", theirs.params["code"])
    assert error_of(await browser.back(str(swapped))) == "code_invalid"


async def test_an_answer_of_another_way_is_refused(hall, browser, provider, set_up):
    first, second = await set_up(), await set_up(label="Second")
    back = provider.authorize(await browser.start(first))
    assert error_of(await browser.back(back.replace(first, second))) == "state_invalid"


async def test_an_answer_that_names_another_issuer_is_refused(hall, browser, provider, set_up):
    way = await set_up()
    back = provider.authorize(await browser.start(way))
    assert error_of(await browser.back(f"{back}&iss=https%3A%2F%2Fevil.test")) == "issuer_wrong"
    way = await set_up(issuer=f"{provider.issuer}/")
    provider.metadata = {"authorization_response_iss_parameter_supported": True}
    back = provider.authorize(await browser.start(way))
    assert error_of(await browser.back(back)) == "issuer_wrong"


async def test_a_sign_in_lasts_ten_minutes(hall, browser, provider, set_up):
    way = await set_up()
    back = provider.authorize(await browser.start(way))
    hall.clock.advance(minutes=10)
    assert error_of(await browser.back(back)) == "state_invalid"


async def test_nothing_in_an_address_leads_elsewhere(hall, browser, provider, set_up):
    way = await set_up()
    more = "&next=https://evil.test&redirect_uri=https://evil.test&RelayState=//evil.test"
    location = await browser.start(way)
    begun = await browser.get(f"/api/auth/oidc/{way}/start?{more[1:]}")
    assert begun.headers["location"].startswith(f"{provider.issuer}/authorize?")
    assert "evil.test" not in begun.headers["location"]
    answer = await browser.get(provider.authorize(location) + more)
    base_url = hall.server.settings.base_url
    assert answer.headers["location"].startswith(f"{base_url}/login#token=")


async def test_a_host_header_changes_no_address(hall, provider, set_up):
    way = await set_up()
    answer = await hall.anonymous.get(f"/api/auth/oidc/{way}/start", headers={"Host": "evil.test"})
    assert "evil.test" not in answer.headers["location"]


async def test_the_person_may_say_no(hall, browser, set_up):
    way = await set_up()
    location = httpx.URL(await browser.start(way))
    back = f"/api/auth/oidc/{way}/callback?state={location.params['state']}&error=access_denied"
    assert error_of(await browser.back(back)) == "sso_denied"


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.test"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": "https://evil.test/a b"},
        {"authorization_endpoint": "https://еxample.test/"},
        {"token_endpoint": None},
        {"jwks_uri": 7},
    ],
)
async def test_a_provider_that_says_impossible_things_of_itself(hall, browser, provider, set_up, metadata):
    way = await set_up()
    provider.metadata = metadata
    assert error_of(await browser.sign_in(way)) == "provider_invalid"


async def test_a_provider_that_answers_with_rubbish(hall, browser, provider, set_up, monkeypatch):
    way = await set_up()
    monkeypatch.setattr(provider, "choose", lambda request: provider.answer(b"[" * 100_000))
    assert error_of(await browser.sign_in(way)) == "provider_invalid"


async def test_a_provider_that_is_down_or_hangs(hall, browser, provider, set_up, monkeypatch):
    down = await set_up(issuer="http://127.0.0.1:9")
    assert error_of(await browser.sign_in(down)) == "sso_unavailable"
    monkeypatch.setattr(provider_module, "TIMEOUT_SECONDS", 0.05)
    way = await set_up()
    provider.silent = True
    assert error_of(await browser.sign_in(way)) == "sso_unavailable"
    provider.silent = False
    back = provider.authorize(await browser.start(way))
    provider.silent = True
    assert error_of(await browser.back(back)) == "sso_unavailable"


async def test_a_secret_that_the_provider_does_not_take(hall, browser, provider, set_up):
    way = await set_up()
    provider.secret = "another by now"
    assert error_of(await browser.sign_in(way)) == "client_refused"


async def test_a_way_that_is_none(hall):
    for row in ("start", "callback"):
        assert (await hall.anonymous.get(f"/api/auth/oidc/way_none/{row}")).status_code == 404
