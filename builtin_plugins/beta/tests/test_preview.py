"""The draft as visitors would see it, by a ticket."""

import pytest

pytestmark = pytest.mark.any_database

EXPERIENCE = "/api/beta/experience"


async def test_a_draft_is_seen_before_it_is_published(hall):
    copy = {"en": {"title": "Soon here"}, "nl": {"title": "Binnenkort hier"}}
    assert (await hall.acme.admin.put(EXPERIENCE, {"copy": copy})).status_code == 200
    issued = await hall.acme.admin.post(f"{EXPERIENCE}/preview")
    assert issued.status_code == 200, issued.text
    url = issued.json()["url"]
    shown = await hall.anonymous.get(f"{url}?locale=nl")
    assert shown.status_code == 200
    assert "Binnenkort hier" in shown.text
    policy = shown.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "connect-src 'none'" in policy and "frame-ancestors 'self'" in policy
    assert shown.headers["cache-control"] == "private, no-store"
    assert "Binnenkort hier" not in (await hall.anonymous.get("/beta/template?locale=nl")).text


async def frame_ticket(caller):
    """Returns a ticket of the same caller for something else."""
    return (await caller.post("/api/x/example-tools/ticket", {})).json()["path"].split("/")[2]


async def test_a_ticket_is_for_one_team_and_ten_minutes(hall):
    url = (await hall.acme.admin.post(f"{EXPERIENCE}/preview")).json()["url"]
    assert (await hall.acme.member.post(f"{EXPERIENCE}/preview")).status_code == 403
    for forged in (
        url[:-9] + ("A" if url[-9] != "A" else "B") + url[-8:],
        url.replace(url.rpartition("/")[2], await frame_ticket(hall.acme.admin)),
        f"{url}0",
        "/beta/preview/é",
        "/beta/preview/x",
    ):
        assert (await hall.anonymous.get(forged)).status_code == 404
    hall.clock.advance(seconds=601)
    assert (await hall.anonymous.get(url)).status_code == 404


async def test_a_ticket_ends_with_the_session_and_with_the_role_of_whoever_asked(hall):
    signed_out = await hall.join(hall.acme, "admin")
    demoted = await hall.join(hall.acme, "admin")
    urls = [(await who.post(f"{EXPERIENCE}/preview")).json()["url"] for who in (signed_out, demoted)]
    assert [(await hall.anonymous.get(url)).status_code for url in urls] == [200, 200]
    assert (await signed_out.post("/api/logout")).status_code < 300
    changed = await hall.acme.owner.request("PATCH", f"/api/members/{demoted.user_id}", {"role": "member"})
    assert changed.status_code == 200, changed.text
    assert [(await hall.anonymous.get(url)).status_code for url in urls] == [404, 404]


async def test_a_prospect_is_read_by_its_own_team_alone(hall):
    assert (await hall.acme.admin.get("/api/beta/prospects/prs_unknown")).status_code == 404
