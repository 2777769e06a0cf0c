"""Whose branding a visitor sees: by who they are, by the hostname, else the instance's."""

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ORG = "/api/org/branding"


async def title_at(caller, host=None, **headers):
    sent = {**headers, **({"Host": host} if host is not None else {})}
    response = await caller.get("/api/branding", headers=sent)
    assert response.status_code == 200, response.text
    return response.json()["title"]


@pytest.fixture
async def branded(hall, settle_at):
    """Acme and Globex have their own, each at its hostname; the instance has one too."""
    await hall.operator.put("/api/branding", {"title": "Hall"})
    for company, name in ((hall.acme, "Acme"), (hall.globex, "Globex")):
        await company.org_owner.put(ORG, {"title": name})
        await settle_at(company, f"{name.lower()}.example.com")
    yield hall
    for company in (hall.acme, hall.globex):
        await settle_at(company, None)


async def test_on_a_companys_hostname_a_visitor_sees_the_companys(branded):
    assert await title_at(branded.anonymous, "acme.example.com") == "Acme"
    assert await title_at(branded.anonymous, "globex.example.com") == "Globex"
    assert await title_at(branded.anonymous) == "Hall"


async def test_the_hostname_is_matched_without_case_and_port(branded):
    for host in ("ACME.Example.COM", "acme.example.com:8443", "Acme.example.com:"):
        assert await title_at(branded.anonymous, host) == "Acme", host


OTHER_HOSTS = [
    *("evil.example.com", "www.acme.example.com", "example.com", "acme.example.com.evil.example"),
    *("xacme.example.com", "acme.example.co", "acme.example.com.", ".acme.example.com", "acme%"),
    *("acme.example.com:80:80", "acme.example.com,globex.example.com", "' OR 1=1 --", "evil*"),
    *("[::1]:8080", "127.0.0.7", "x" * 5000, "acme.example.com\\@evil", "acme.example.com/x"),
]


async def test_any_other_hostname_shows_the_instances_and_is_not_repeated(branded):
    for host in OTHER_HOSTS:
        response = await branded.anonymous.get("/api/branding", headers={"Host": host})
        assert (response.json().get("title"), response.json().get("own")) == ("Hall", False), host
        assert host not in response.text + str(response.headers)


async def test_forwarding_headers_choose_nothing(branded):
    for name in ("X-Forwarded-Host", "X-Host", "Forwarded", "X-Original-Host", "X-HTTP-Host-Override"):
        assert await title_at(branded.anonymous, **{name: "acme.example.com"}) == "Hall"


async def test_links_are_relative_whatever_the_host_says(branded, give_logo):
    logo = await give_logo(branded.acme.org_owner, "acme")
    response = await branded.acme.viewer.get("/api/branding", headers={"Host": "evil.example"})
    assert response.json()["logo"] == logo
    assert logo.startswith("/api/branding/logos/")
    assert "evil" not in response.text + str(response.headers)


async def test_who_is_signed_in_sees_their_own_companys_wherever_they_are(branded):
    for host in (None, "globex.example.com", "evil.example"):
        assert await title_at(branded.acme.viewer, host) == "Acme"


async def test_who_has_none_of_their_own_sees_that_of_the_hostname(branded):
    await branded.globex.org_owner.delete(ORG)
    assert await title_at(branded.globex.member) == "Hall"
    assert await title_at(branded.globex.member, "acme.example.com") == "Acme"
    assert await title_at(branded.operator, "acme.example.com") == "Acme"


async def test_a_token_that_is_none_is_a_visitor(branded):
    stranger = branded.anonymous.bearing("ghs_" + "x" * 43)
    assert await title_at(stranger) == "Hall"
    assert await title_at(stranger, "acme.example.com") == "Acme"


async def test_a_hostname_whose_company_set_nothing_shows_the_instances(branded):
    await branded.acme.org_owner.delete(ORG)
    response = await branded.anonymous.get("/api/branding", headers={"Host": "acme.example.com"})
    assert (response.json()["title"], response.json()["own"]) == ("Hall", False)


async def test_a_moved_or_cleared_hostname_counts_at_once(branded, settle_at):
    await settle_at(branded.acme, None)
    assert await title_at(branded.anonymous, "acme.example.com") == "Hall"
    await settle_at(branded.globex, "acme.example.com")
    assert await title_at(branded.anonymous, "acme.example.com") == "Globex"


async def test_own_says_whether_a_companys_is_shown(branded):
    async def own(caller, host):
        return (await caller.get("/api/branding", headers={"Host": host})).json()["own"]

    assert await own(branded.anonymous, "acme.example.com") is True
    assert await own(branded.acme.viewer, "elsewhere.example") is True
    assert await own(branded.anonymous, "elsewhere.example") is False


async def test_caches_keep_hosts_and_callers_apart(branded):
    visitor = await branded.anonymous.get("/api/branding")
    caller = await branded.acme.viewer.get("/api/branding")
    for response in (visitor, caller):
        varies = {name.strip().lower() for name in response.headers["vary"].split(",")}
        assert varies == {"host", "authorization"}
    assert visitor.headers["cache-control"] == "no-cache"
    assert caller.headers["cache-control"] == "private, no-store"


async def test_a_visitor_who_holds_the_newest_gets_304(branded):
    first = await branded.anonymous.get("/api/branding")
    held = {"If-None-Match": first.headers["etag"]}
    again = await branded.anonymous.get("/api/branding", headers=held)
    assert (again.status_code, again.content, again.headers["vary"]) == (304, b"", first.headers["vary"])
    await branded.operator.put("/api/branding", {"tagline": "New"})
    assert (await branded.anonymous.get("/api/branding", headers=held)).status_code == 200
    elsewhere = {**held, "Host": "acme.example.com"}
    assert (await branded.anonymous.get("/api/branding", headers=elsewhere)).status_code == 200


async def test_a_request_without_a_host_sees_the_instances(branded):
    answer = await branded.raw(b"GET /api/branding HTTP/1.0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200") and b'"title":"Hall"' in answer
