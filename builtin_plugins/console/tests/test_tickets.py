"""Tickets for the bundles of plugins: what one opens, for whom, and when it ends."""

import base64

import pytest

from builtin_plugins.console.frames import frame_headers

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

ISSUE = "/api/x/example-tools/ticket"
OTHER = "beta-onboarding"


async def issued(client, path=ISSUE):
    answer = await client.post(path, {})
    assert answer.status_code == 200, answer.text
    return answer.json()["path"]


async def test_a_ticket_opens_the_bundle_to_a_frame_without_a_bearer(hall):
    path = await issued(hall.acme.member)
    assert path.startswith("/frame/") and path.endswith("/example-tools/")
    for name in ("", "index.html", "page.js", "page.css", "guildhall.js"):
        answer = await hall.anonymous.get(path + name)
        assert answer.status_code == 200, name
    assert b"Word count" in (await hall.anonymous.get(path)).content


async def test_a_framed_file_may_be_framed_here_and_load_its_own_bundle_alone(hall):
    path = await issued(hall.acme.member)
    answer = await hall.anonymous.get(path)
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    own = hall.base_url.removeprefix("http://") + path
    assert policy["default-src"] == "'none'" and policy["frame-ancestors"] == "'self'"
    assert policy["sandbox"] == "allow-scripts"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == own
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    # Nowhere else: not for the same file by bearer, nor for a refusal.
    for other in (
        await hall.acme.member.get("/api/x/example-tools/bundle/index.html"),
        await hall.anonymous.get(path + "nothing.html"),
        await hall.anonymous.get("/"),
    ):
        assert "frame-ancestors 'none'" in other.headers["content-security-policy"]
        assert other.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("host", ["evil'; script-src *", "a b", "[::1]:8080", ""])
def test_a_host_that_no_policy_can_name_is_not_put_into_one(host):
    policy = frame_headers(host, "/frame/t/p/")["Content-Security-Policy"]
    assert "script-src 'self'; style-src 'self';" in policy and "*" not in policy


async def test_it_ends_after_ten_minutes(hall):
    path = await issued(hall.acme.member)
    hall.clock.advance(milliseconds=10 * 60 * 1000 - 1000)
    assert (await hall.anonymous.get(path)).status_code == 200
    hall.clock.advance(seconds=2)
    assert (await hall.anonymous.get(path)).status_code == 404


async def test_it_ends_with_the_session_that_asked_and_with_no_other(hall):
    member = hall.acme.member
    now = hall.clock.now_ms()
    first = await hall.with_token(member, kind="session", expires_at=now + 60_000)
    second = await hall.with_token(member, kind="session")
    of_first, of_second = await issued(first), await issued(second)
    assert (await second.post("/api/logout")).status_code == 204
    assert (await hall.anonymous.get(of_first)).status_code == 200
    assert (await hall.anonymous.get(of_second)).status_code == 404
    hall.clock.advance(seconds=61)
    assert (await hall.anonymous.get(of_first)).status_code == 404


async def test_an_api_token_gets_none(hall):
    token = await hall.with_token(hall.acme.admin)
    answer = await token.post(ISSUE, {})
    assert (answer.status_code, answer.json()["code"]) == (403, "session_required")


async def test_it_is_for_one_team(hall):
    here, there = await issued(hall.acme.member), await issued(hall.globex.member)
    switched = await hall.acme.admin.post("/api/plugins/example-tools", {"enabled": False})
    assert switched.status_code == 200
    assert (await hall.anonymous.get(here)).status_code == 404
    assert (await hall.anonymous.get(there)).status_code == 200
    refused = await hall.acme.member.post(ISSUE, {})
    assert (refused.status_code, refused.json()["feature"]) == (403, "example-tools")
    await hall.acme.admin.post("/api/plugins/example-tools", {"enabled": True})
    assert (await hall.anonymous.get(here)).status_code == 200


async def test_who_left_the_team_has_none(hall):
    guest = await hall.join(hall.acme)
    path = await issued(guest)
    assert (await hall.acme.owner.delete(f"/api/members/{guest.user_id}")).status_code == 204
    assert (await hall.anonymous.get(path)).status_code == 404


async def test_it_ends_with_the_suspension_of_the_company(hall):
    path = await issued(hall.acme.member)
    await hall.suspend(hall.acme)
    assert (await hall.anonymous.get(path)).status_code == 404
    assert (await hall.acme.member.post(ISSUE, {})).status_code == 402
    await hall.resume(hall.acme)
    assert (await hall.anonymous.get(path)).status_code == 200


async def test_another_plugins_path_is_not_there_with_it(hall):
    path = await issued(hall.acme.member)
    for other in (OTHER, "integrator-demo", "console", "nobody"):
        answer = await hall.anonymous.get(path.replace("/example-tools/", f"/{other}/"))
        assert answer.status_code == 404, other


async def test_a_plugin_without_a_bundle_has_no_ticket(hall):
    for plugin in ("integrator-demo", "console", "nobody"):
        assert (await hall.acme.member.post(f"/api/x/{plugin}/ticket", {})).status_code == 404, plugin


async def test_nothing_is_written_through_it(hall):
    path = await issued(hall.acme.member)
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        answer = await hall.anonymous.request(method, path + "index.html")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET"), method


@pytest.mark.parametrize(
    "climb",
    [
        "../plugin.py",
        "%2e%2e/plugin.py",
        "..%2fplugin.py",
        "%2e%2e%2fplugin.json",
        "a/../../plugin.py",
        "/etc/passwd",
        "..%5cplugin.py",
        "%00",
        ".hidden",
    ],
)
async def test_it_does_not_climb_out_of_the_bundle(hall, climb):
    path = await issued(hall.acme.member)
    raw = f"GET {path}{climb} HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n\r\n"
    assert b" 404 " in (await hall.raw(raw.encode())).split(b"\r\n")[0]


async def test_a_ticket_is_no_bearer_and_tells_nothing(hall):
    member = hall.acme.member
    path = await issued(member)
    ticket = path.split("/")[2]
    assert (await hall.bearer(ticket).get("/api/whoami")).status_code == 401
    plain = base64.urlsafe_b64decode(ticket + "==")
    assert member.user_id.encode() not in plain and member.team_id.encode() not in plain


async def test_a_changed_ticket_is_none(hall):
    path = await issued(hall.acme.member)
    ticket = path.split("/")[2]
    for at in (0, len(ticket) // 2, len(ticket) - 2):
        other = "A" if ticket[at] != "A" else "B"
        forged = ticket[:at] + other + ticket[at + 1 :]
        assert (await hall.anonymous.get(path.replace(ticket, forged))).status_code == 404
    for forged in ("x", "%C3%A9", "A" * 5000, "AAAA", "-" * 40):
        assert (await hall.anonymous.get(f"/frame/{forged}/example-tools/index.html")).status_code == 404
