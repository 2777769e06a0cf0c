"""Many at once: a branding is always one that somebody set, whole."""

import asyncio

import pytest

pytestmark = pytest.mark.shared_server

ORG = "/api/org/branding"


def colour(number):
    """Dark enough to be read on the default's page."""
    return f"#00{number:02x}40"


@pytest.mark.parametrize("instance", [False, True])
async def test_32_changes_at_once_do_not_mix_halves(hall, instance):
    caller, path = (hall.operator, "/api/branding") if instance else (hall.acme.org_owner, ORG)

    async def change(number):
        theme = {"accent": colour(number), "radius": number % 25}
        return await caller.put(path, {"title": f"T{number}", "tagline": f"T{number}", "theme": theme})

    answers = await asyncio.gather(
        *(change(number) for number in range(32)), *(caller.get(path) for _ in "1234")
    )
    for answer in [*answers, await caller.get(path)]:
        assert answer.status_code == 200, answer.text
        seen = answer.json()
        if seen["theme"]:
            number = int(seen["title"][1:])
            assert seen["tagline"] == f"T{number}"
            assert seen["theme"] == {"accent": colour(number), "radius": number % 25}
    # Each was answered with what it set itself.
    assert [answer.json()["title"] for answer in answers[:32]] == [f"T{number}" for number in range(32)]


async def test_changes_of_different_fields_do_not_undo_each_other(hall):
    calls = [
        hall.acme.org_owner.put(ORG, change)
        for change in ({"title": "A"}, {"tagline": "B"}, {"theme": {"radius": 1}}) * 6
    ]
    await asyncio.gather(*calls)
    seen = (await hall.acme.org_owner.get(ORG)).json()
    assert (seen["title"], seen["tagline"], seen["theme"]) == ("A", "B", {"radius": 1})


@pytest.mark.own_server
async def test_uploads_at_once_leave_one_logo_which_is_served(hall, give_logo, rows_of):
    logos = await asyncio.gather(*(give_logo(hall.acme.org_owner, f"mark {n}") for n in range(16)))
    assert len(set(logos)) == 16
    shown = (await hall.acme.org_owner.get(ORG)).json()["logo"]
    assert shown in logos
    assert [row["digest"] for row in await rows_of("branding_logos")] == [shown.rpartition("/")[2]]
    assert (await hall.anonymous.get(shown)).status_code == 200


async def test_whatever_races_the_logo_that_is_shown_is_there(hall, give_logo, upload_of, svg):
    owner = hall.acme.org_owner
    logo = await give_logo(owner, "first")
    calls = [
        call
        for number in range(6)
        for call in (
            owner.put(ORG, {"logo": logo}),
            owner.put(ORG, {"logo": None}),
            owner.post(f"{ORG}/logo", upload_of(svg(f"<title>{number}</title>"))),
            owner.delete(ORG),
        )
    ]
    answers = await asyncio.gather(*calls)
    assert {answer.status_code for answer in answers} <= {200, 204, 400}
    shown = (await owner.get(ORG)).json()["logo"]
    assert shown is None or (await hall.anonymous.get(shown)).status_code == 200


async def test_companies_at_once_keep_their_own(hall):
    people = {"Acme": hall.acme.org_owner, "Globex": hall.globex.org_owner}
    await asyncio.gather(*(who.put(ORG, {"title": name}) for name, who in people.items() for _ in range(8)))
    for name, who in people.items():
        assert (await who.get(ORG)).json()["title"] == name
