"""Submit and review: by people, one after the other, and by two of them."""

import asyncio

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def test_a_submitted_text_waits_for_review_while_the_approved_one_is_served(imported):
    title = await imported.message()
    status, answer = await imported.submit(title, "Hallo daar")
    assert status == 200
    assert (answer["status"], answer["text"], answer["approved_text"]) == (
        "submitted",
        "Hallo daar",
        "Welkom",
    )
    assert answer["submitted_by"] == imported.translator.user_id
    status, answer = await imported.review(title, comment="Mooi")
    assert (status, answer["status"], answer["approved_text"]) == (200, "approved", "Hallo daar")
    assert (answer["reviewed_by"], answer["comment"]) == (imported.reviewer.user_id, "Mooi")


WRONG_TEXTS = [
    ("demo.hello", "Hallo {naam}", "placeholder_mismatch"),
    ("demo.hello", "Hallo", "placeholder_mismatch"),
    ("demo.hello", "Hallo {name", "invalid_message"),
    ("demo.notes", "{count, plural, one {# notitie}}", "invalid_message"),
    ("demo.title", "   ", "invalid_message"),
]


async def test_a_text_that_cannot_stand_for_its_source_is_refused_with_its_place(imported):
    for key, text, code in WRONG_TEXTS:
        message = await imported.message(key)
        status, answer = await imported.submit(message, text)
        assert (status, answer["code"], answer["errors"][0]["pointer"]) == (400, code, "/text")
        assert await imported.message(key) == message


async def test_what_deserves_a_second_look_stands_beside_the_message(imported):
    _, answer = await imported.submit(await imported.message(), "Welkom! ")
    assert answer["warnings"] and {*answer["warnings"][0]} == {"code", "message"}
    _, answer = await imported.submit(await imported.message(), "Welkom")
    assert answer["warnings"] == []


async def test_a_submit_with_a_stale_version_is_refused_with_both_texts(imported):
    title = await imported.message()
    tag = f'"{title["version"]}"'
    response = await imported.translator.request(
        "PUT", f"/api/l10n/messages/{title['id']}", {"text": "Hoi"}, headers={"If-Match": tag}
    )
    assert (response.status_code, response.headers["etag"]) == (200, f'"{title["version"] + 1}"')
    status, answer = await imported.submit(title, "Hallo", by=imported.reviewer, **{"If-Match": tag})
    assert (status, answer["code"], answer["yours"]) == (412, "precondition_failed", "Hallo")
    assert answer["current"]["text"] == "Hoi"
    assert answer["current"]["submitted_by"] == imported.translator.user_id
    assert answer["current"]["updated_at"].endswith("Z")
    assert (await imported.message())["text"] == "Hoi"
    fresh = f'"{answer["current"]["version"]}"'
    assert (await imported.submit(title, "Hallo", by=imported.reviewer, **{"If-Match": fresh}))[0] == 200


@pytest.mark.every_database
async def test_two_submits_of_one_version_at_once_one_is_taken(imported):
    title = await imported.message()
    tag = {"If-Match": f'"{title["version"]}"'}
    answers = await asyncio.gather(*(imported.submit(title, f"Hoi {number}", **tag) for number in range(4)))
    assert sorted(status for status, _ in answers) == [200, 412, 412, 412]


async def test_without_a_version_the_last_wins_and_the_history_has_both(imported):
    title = await imported.message()
    await imported.submit(title, "Eerst")
    await imported.submit(title, "Later", by=imported.reviewer)
    entries = await imported.history(title)
    assert [(entry["action"], entry["text"]) for entry in entries] == [
        ("submitted", "Later"),
        ("submitted", "Eerst"),
        ("imported", "Welkom"),
    ]
    assert [entry["by"] and entry["by"]["id"] for entry in entries] == [
        imported.reviewer.user_id,
        imported.translator.user_id,
        None,
    ]


@pytest.mark.every_database
async def test_history_is_paged(imported):
    title = await imported.message()
    for number in range(5):
        await imported.submit(title, f"Hoi {number}")
    texts, path = [], f"/api/l10n/messages/{title['id']}/history?limit=2"
    cursor = ""
    while cursor is not None:
        _, answer = await imported.translator.call("GET", path + cursor)
        texts += [entry["text"] for entry in answer["items"]]
        cursor = answer["next_cursor"] and f"&cursor={answer['next_cursor']}"
    assert texts == [*(f"Hoi {number}" for number in reversed(range(5))), "Welkom"]


@pytest.mark.every_database
async def test_racing_reviewers_one_decides(imported):
    title = await imported.message()
    await imported.submit(title, "Hoi")
    second = await imported.hall.join(imported.hall.globex, "reviewer")
    reviews = [("approve", imported.reviewer), ("return", second), ("approve", second)]
    answers = await asyncio.gather(*(imported.review(title, action, by=who) for action, who in reviews))
    assert sorted(status for status, _ in answers) == [200, 409, 409]
    won = next(answer for status, answer in answers if status == 200)
    assert {answer["code"] for status, answer in answers if status == 409} == {"not_submitted"}
    assert await imported.message() == won
    assert len(await imported.history(title)) == 3


async def test_nobody_reviews_their_own_translation_by_whatever_credential(imported):
    hall, title = imported.hall, await imported.message()
    author = await hall.join(hall.acme, "reviewer")
    scope = ["localization:read", "localization:review", "localization:translate"]
    same_person = [
        author,
        await hall.with_token(author),
        await hall.with_token(author, scope=scope),
        await hall.with_token(author, kind="session"),
    ]
    for submitting, reviewing in zip(same_person, reversed(same_person), strict=True):
        await imported.submit(title, "Hoi", by=submitting)
        before = await imported.message()
        for action in ("approve", "return"):
            status, answer = await imported.review(title, action, by=reviewing)
            assert (status, answer["code"]) == (403, "own_translation")
        assert await imported.message() == before
    assert (await imported.review(title))[0] == 200


@pytest.mark.every_database
async def test_only_what_waits_for_a_review_can_be_reviewed(imported):
    found = await imported.messages()
    for key in ("demo.title", "demo.upper"):
        for action in ("approve", "return"):
            status, answer = await imported.review(found[key], action)
            assert (status, answer["code"]) == (409, "not_submitted")
    await imported.submit(found["demo.title"], "Hoi")
    await imported.review(found["demo.title"], "return", comment="Te kort")
    returned = await imported.message()
    assert (returned["status"], returned["comment"], returned["approved_text"]) == (
        "returned",
        "Te kort",
        "Welkom",
    )
    assert (await imported.review(found["demo.title"]))[0] == 409
    _, again = await imported.submit(returned, "Welkom hier")
    assert (again["status"], again["comment"]) == ("submitted", None)


async def test_a_review_of_another_version_than_was_read_is_refused(imported):
    title = await imported.message()
    _, read = await imported.submit(title, "Hoi")
    await imported.submit(title, "Iets heel anders")
    status, _ = await imported.reviewer.call(
        "POST",
        f"/api/l10n/review/{title['id']}",
        {"action": "approve"},
        **{"If-Match": f'"{read["version"]}"'},
    )
    assert (status, (await imported.message())["approved_text"]) == (412, "Welkom")


async def test_every_change_is_audited_by_id_and_without_its_text(imported):
    title = await imported.message()
    await imported.submit(title, "Geheim van de smid")
    await imported.review(title)
    events = await imported.audited()
    of_message = [
        event["action"] for event in events if event["target"] == {"type": "message", "id": title["id"]}
    ]
    assert of_message == ["translation.approved", "translation.submitted"]
    assert "smid" not in str(events)
    assert {"localization.imported", "localization.opened"} <= {event["action"] for event in events}


async def test_messages_are_found_by_status_namespace_and_phrase(imported):
    assert {*await imported.messages(status="missing")} == {"demo.upper"}
    assert {*await imported.messages(q="WELKOM")} == {"demo.title"}
    assert {*await imported.messages(q="école")} == {"demo.upper"}
    assert {*await imported.messages(q="demo.N")} == {"demo.notes"}
    assert {*await imported.messages(q="%")} == set()
    assert await imported.messages(ns="none") == {}
    assert await imported.messages("fy") == {}


async def test_the_pages_of_a_list_are_all_of_it_once(imported):
    keys, cursor = [], None
    for _ in range(100):
        query = {"locale": "nl", "limit": 1, "ns": "demo", **({"cursor": cursor} if cursor else {})}
        answer = (await imported.translator.get("/api/l10n/messages", params=query)).json()
        keys += [item["key"] for item in answer["items"]]
        cursor = answer["next_cursor"]
        if cursor is None:
            break
    assert keys == sorted(await imported.messages())


async def test_a_list_wants_a_language(imported):
    status, answer = await imported.translator.call("GET", "/api/l10n/messages")
    assert (status, answer["errors"][0]["pointer"]) == (400, "?locale")


async def test_a_translator_submits_and_neither_reviews_nor_manages(imported):
    title = await imported.message()
    assert (await imported.submit(title, "Hoi", by=imported.hall.acme.owner))[0] == 403
    assert (await imported.review(title, by=imported.translator))[1]["permission"] == "localization:review"
    for path in ("import", "export", "discard"):
        status, _ = await imported.reviewer.call("POST", f"/api/l10n/{path}", {"locale": "nl"})
        assert status == 403
