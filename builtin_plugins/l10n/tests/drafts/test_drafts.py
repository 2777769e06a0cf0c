"""Drafts by machine: what is queued, what lands, and what stays missing with its reason."""

import asyncio
import json

import pytest

from builtin_plugins.l10n.tests.drafts.conftest import PATH
from builtin_plugins.translation.translator import GlossaryTranslator

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

NOTES = "{count, plural, =0 {No notes} one {# note} other {# notes}}"


@pytest.fixture
async def localizer(modelled):
    return await modelled.join(modelled.acme, "localizer")


async def jobs_of(client, **query):
    return (await client.get("/api/jobs", params=query)).json()["items"]


async def test_a_draft_is_machine_work_within_the_frame_of_its_source(
    modelled, localizer, add_messages, messages, draft, say
):
    await add_messages(modelled, "es", {"x.count": NOTES})
    say(
        modelled,
        {
            "x.count (count is 0)": "Ninguna nota",
            "x.count (count is one such as 1)": "{count} nota",
            "x.count (count is many such as 1000000)": "{count} de notas",
            "x.count (count is other such as 0, 2, 3, 4)": "{count} notas",
        },
    )
    queued = await draft(modelled, localizer)
    assert (queued["queued"], queued["remaining"], len(queued["jobs"])) == (1, 0, 1)
    found = (await messages(modelled))["x.count"]
    assert (found["status"], found["origin"], found["problem"]) == ("machine", "machine", None)
    assert found["text"] == (
        "{count, plural, =0 {Ninguna nota} one {# nota} many {# de notas} other {# notas}}"
    )
    assert (found["submitted_by"], found["approved_text"], found["version"]) == (None, None, 2)
    (job,) = await jobs_of(localizer, kind="l10n.draft")
    assert (job["id"], job["state"], job["result"]["outcome"]) == (queued["jobs"][0], "succeeded", "drafted")
    used = (await localizer.get("/api/usage")).json()["items"]
    assert [one["used"] for one in used if (one["dimension"], one["level"]) == ("ai.requests", "team")] == [1]
    prompt = json.dumps(modelled.model.calls[0].body)
    assert "plural, " not in prompt and "=0" not in prompt.partition('"role": "user"')[2]


async def test_a_draft_is_listed_with_its_history_and_its_asker_may_approve_it(
    modelled, localizer, add_messages, draft, say
):
    await add_messages(modelled, "es", {"x.one": "Save 2"})
    say(modelled, {"x.one": "Guardar"})
    await draft(modelled, localizer)
    (found,) = (await localizer.get("/api/l10n/messages", params={"locale": "es"})).json()["items"]
    assert (found["status"], found["text"], found["submitted_by"]) == ("machine", "Guardar", None)
    assert found["problem"] == "The draft has other numbers than the source: 2"
    (made,) = (await localizer.get(f"/api/l10n/messages/{found['id']}/history")).json()["items"]
    assert (made["action"], made["by"]["id"], made["text"]) == ("drafted", localizer.user_id, "Guardar")
    approved = (await localizer.post(f"/api/l10n/review/{found['id']}", {"action": "approve"})).json()
    assert (approved["status"], approved["problem"]) == ("approved", None)


REFUSED = {
    "es": ("Hi {name}", ["Hola", "Hola {nombre}"], "lacks the argument {name}"),
    "fr": ("Hi {name}", ["{name} {name}"], "repeated {name}"),
    "it": ("Hi {name}", ["{name, select, other {x}}"] * 2, "must be bare"),
    "nl": ("Save", ["<script>alert(1)</script>"], "other tags"),
    "pt": ("Save", [""] * 2, "empty"),
    "de": ("Save", ["Sichern " * 200] * 2, "far longer"),
    "ca": ("Save", ["Ho sento, com a model de llenguatge no puc ajudar amb aquesta petició."], "much longer"),
    "da": ("Save", ["Сохранить"], "Cyrillic"),
    "ru": ("Save", ["I cannot"], "no letter that ru"),
    "sv": ("Hi {name", [], "does not compile"),
}


async def test_a_draft_that_fails_the_checks_stays_missing_with_the_reason(
    modelled, localizer, add_messages, messages, draft, say
):
    for locale, (source, answers, why) in REFUSED.items():
        await add_messages(modelled, locale, {"x.one": source})
        modelled.model.calls.clear()
        for answer in answers:
            say(modelled, {"x.one": answer})
        (job,) = (await draft(modelled, localizer, locale))["jobs"]
        found = (await messages(modelled, locale))["x.one"]
        assert (found["status"], found["text"], found["version"]) == ("missing", None, 1), locale
        assert why in found["problem"]
        ended = (await localizer.get(f"/api/jobs/{job}")).json()
        assert (ended["state"], ended["error"]["code"]) == ("failed", "draft_refused")
        assert len(modelled.model.calls) == len(answers), locale


async def test_a_refusal_without_the_form_that_was_asked_for_is_the_reason_after_all_attempts(
    modelled, localizer, add_messages, messages, draft
):
    await add_messages(modelled, "es", {"x.one": "Save"})
    await draft(modelled, localizer)  # it says nothing but "Scripted."
    for _ in range(2):
        modelled.clock.advance(hours=1)
        await modelled.drain_jobs()
    found = (await messages(modelled))["x.one"]
    assert found["status"] == "missing"
    assert "format" in found["problem"]


async def test_slips_of_a_model_are_told_to_whoever_reviews(
    modelled, localizer, add_messages, messages, draft, say
):
    await add_messages(modelled, "es", {"x.one": "Wait 5 minutes. "})
    say(modelled, {"x.one": "Espere 15 minutos."})
    await draft(modelled, localizer)
    found = (await messages(modelled))["x.one"]
    assert (found["status"], found["text"]) == ("machine", "Espere 15 minutos. ")
    assert found["problem"] == "The draft has other numbers than the source: 15, 5"


async def test_an_elided_word_before_a_name_is_no_quotation(
    modelled, localizer, add_messages, messages, draft, say
):
    await add_messages(modelled, "fr", {"x.one": "The team of {name}"})
    say(modelled, {"x.one": "L'équipe d'{name}"})
    await draft(modelled, localizer, "fr")
    assert (await messages(modelled, "fr"))["x.one"]["text"] == "L'équipe d''{name}"


async def test_the_glossary_of_the_askers_team_holds_for_its_language_alone(
    modelled, localizer, add_messages, messages, draft, say
):
    for client, target, translation in (
        (modelled.acme.owner, "es", "apunte"),
        (modelled.acme.owner, "nl", "aantekening"),
        (modelled.globex.owner, "es", "nota"),
    ):
        body = {"target": target, "term": "note", "translation": translation}
        assert (await client.post("/api/glossary", body)).status_code == 200
    # A term for another language is none here.
    body = {"target": "nl", "term": "folder", "translation": "map"}
    assert (await modelled.acme.owner.post("/api/glossary", body)).status_code == 200
    await add_messages(modelled, "es", {"x.one": "A note in a folder"})
    for _ in range(2):
        say(modelled, {"x.one": "Una note en una carpeta"})
    await draft(modelled, localizer)
    sent = json.loads(modelled.model.calls[0].body["messages"][1]["content"])
    assert sent["glossary"] == [{"term": "note", "translation": "apunte"}]
    found = (await messages(modelled))["x.one"]
    assert (found["text"], found["problem"]) == ("Una apunte en una carpeta", None)


async def test_without_a_model_the_draft_says_that_it_is_not_translated(hall, add_messages, messages, draft):
    localizer = await hall.join(hall.acme, "localizer")
    await add_messages(hall, "ru", {"x.count": NOTES})
    await draft(hall, localizer, "ru")
    found = (await messages(hall, "ru"))["x.count"]
    assert (found["status"], found["origin"]) == ("machine", "machine")
    assert found["text"].startswith("{count, plural, =0 {No notes} one {# note} few {# notes} many {# notes}")
    assert "No model is configured" in found["problem"]


async def test_a_batch_has_twenty_jobs_and_nobody_asks_twice_for_the_same_message(
    hall, add_messages, messages
):
    people = [await hall.join(company, "localizer") for company in (hall.acme, hall.globex)]
    await add_messages(hall, "es", {f"x.{number:02}": f"Text {number}" for number in range(45)})
    replies = await asyncio.gather(*(one.post(PATH, {"locale": "es"}) for one in (*people, people[0])))
    answers = sorted((reply.json() for reply in replies), key=lambda answer: -answer["remaining"])
    assert [(one["queued"], one["remaining"]) for one in answers] == [(20, 25), (20, 5), (5, 0)]
    assert len({job for one in answers for job in one["jobs"]}) == 45
    again = (await people[0].post(PATH, {"locale": "es"})).json()
    assert again == {"queued": 0, "remaining": 0, "jobs": []}
    await hall.drain_jobs()
    assert {row["status"] for row in (await messages(hall)).values()} == {"machine"}


async def test_what_failed_before_comes_after_what_was_never_tried(
    modelled, localizer, add_messages, messages, draft, say
):
    await add_messages(modelled, "es", {"x.bad": "Bad {name", "x.fine": "Fine"})
    say(modelled, {"x.fine": "Bien"})
    await draft(modelled, localizer)
    await add_messages(modelled, "es", {f"x.n{number:02}": "{n" for number in range(20)})
    queued = await draft(modelled, localizer)
    assert (queued["queued"], queued["remaining"]) == (20, 1)
    (job,) = (await localizer.post(PATH, {"locale": "es"})).json()["jobs"][:1]
    payload = (await localizer.get(f"/api/jobs/{job}")).json()["payload"]
    assert payload == {"message_id": "msg_es_x.bad"}


MEANWHILE = (
    "status = 'submitted', origin = 'human', text = 'Mía', version = 2",
    "source = 'Keep', version = 2",
    "status = 'gone', version = 2",
)


@pytest.mark.every_database
async def test_a_draft_is_dropped_when_its_message_was_touched_meanwhile(
    modelled, localizer, add_messages, messages, change, monkeypatch
):
    translated = GlossaryTranslator.translate_catalog

    async def touched(self, caller, texts, target, **more):
        made = await translated(self, caller, texts, target, **more)
        for key in texts:
            change_made = MEANWHILE[int(key[-1])]
            await change(modelled, f"UPDATE l10n_messages SET {change_made} WHERE key = :key", key=key)
        return made

    monkeypatch.setattr(GlossaryTranslator, "translate_catalog", touched)
    await add_messages(modelled, "es", {f"x.{number}": "Save" for number in range(3)})
    for _ in range(3):
        modelled.model.say(json.dumps({"messages": {f"x.{number}": "Guardar" for number in range(3)}}))
    await localizer.post(PATH, {"locale": "es"})
    await modelled.drain_jobs()
    assert [(row["status"], row["text"], row["version"]) for row in (await messages(modelled)).values()] == [
        ("submitted", "Mía", 2),
        ("missing", None, 2),
        ("gone", None, 2),
    ]
    assert len(modelled.model.calls) == 3


@pytest.mark.every_database
async def test_what_is_not_missing_any_more_reaches_no_model(
    modelled, localizer, add_messages, change, queue
):
    await add_messages(modelled, "es", {"x.one": "Save"})
    async with queue(modelled, localizer):
        await change(modelled, "UPDATE l10n_messages SET status = 'submitted', text = 'Mía'")
    (job,) = await jobs_of(localizer)
    assert (job["result"], modelled.model.calls) == ({"outcome": "dropped"}, [])


async def test_a_message_whose_job_was_cancelled_can_be_asked_for_again(
    modelled, localizer, add_messages, queue
):
    await add_messages(modelled, "es", {"x.one": "Save"})
    async with queue(modelled, localizer):
        (job,) = await jobs_of(localizer)
        assert (await localizer.post(PATH, {"locale": "es"})).json()["queued"] == 0
        cancelled = await localizer.post(f"/api/jobs/{job['id']}/cancel", {})
        assert cancelled.status_code == 200, cancelled.text
        assert (await localizer.post(PATH, {"locale": "es"})).json()["queued"] == 1


async def test_a_credential_with_a_scope_gives_its_drafts_no_more_than_that(
    modelled, localizer, add_messages, messages, draft, say
):
    await add_messages(modelled, "es", {"x.one": "Save"})
    reader = await modelled.with_token(localizer, scope=["localization:read", "chat:use"])
    assert (await reader.post(PATH, {"locale": "es"})).status_code == 403
    manager = await modelled.with_token(localizer, scope=["localization:manage"])
    say(modelled, {"x.one": "Guardar"})
    await draft(modelled, manager)
    assert (await messages(modelled))["x.one"]["text"] == "Guardar"


@pytest.mark.every_database
async def test_a_job_acts_with_the_rights_that_its_asker_has_when_it_runs(
    modelled, localizer, add_messages, messages, change, queue
):
    await add_messages(modelled, "es", {"x.one": "Save"})
    async with queue(modelled, localizer):
        who = localizer.user_id
        await change(modelled, "UPDATE memberships SET role = 'translator' WHERE user_id = :id", id=who)
    found = (await messages(modelled))["x.one"]
    assert (found["status"], modelled.model.calls) == ("missing", [])
    assert "localization:manage" in found["problem"]


async def test_drafts_of_a_suspended_company_wait_until_it_goes_on(
    modelled, localizer, add_messages, messages, say, queue
):
    await add_messages(modelled, "es", {"x.one": "Save"})
    async with queue(modelled, localizer):
        await modelled.suspend(modelled.acme)
    assert (await localizer.post(PATH, {"locale": "es"})).status_code == 402
    assert modelled.model.calls == []
    say(modelled, {"x.one": "Guardar"})
    await modelled.resume(modelled.acme)
    await modelled.drain_jobs()
    assert (await messages(modelled))["x.one"]["text"] == "Guardar"


async def test_drafts_of_a_team_without_the_plugin_wait_until_it_is_on_again(
    modelled, localizer, add_messages, messages, say, queue
):
    owner = modelled.acme.owner
    await add_messages(modelled, "es", {"x.one": "Save"})
    async with queue(modelled, localizer):
        assert (await owner.post("/api/plugins/l10n", {"enabled": False})).status_code == 200
    assert (await localizer.post(PATH, {"locale": "es"})).json()["code"] == "feature_disabled"
    assert modelled.model.calls == []
    say(modelled, {"x.one": "Guardar"})
    await owner.post("/api/plugins/l10n", {"enabled": True})
    await modelled.drain_jobs()
    assert (await messages(modelled))["x.one"]["text"] == "Guardar"


async def test_without_quota_a_draft_waits_and_nothing_is_sent(
    modelled, localizer, add_messages, messages, draft, limit
):
    await limit(modelled, "ai.requests", 0, "day")
    await add_messages(modelled, "es", {"x.one": "Save"})
    await draft(modelled, localizer)
    (job,) = await jobs_of(localizer)
    assert (job["state"], modelled.model.calls) == ("queued", [])
    assert (await messages(modelled))["x.one"]["status"] == "missing"


@pytest.mark.own_server
async def test_drafts_wait_for_a_model_that_is_busy_and_use_up_no_attempt(
    modelled, localizer, add_messages, messages, say
):
    await add_messages(modelled, "es", {"x.one": "Save"})
    for _ in range(5):
        modelled.model.fail(429, "slow down", {"Retry-After": "60"})
    assert (await localizer.post("/api/l10n/draft", {"locale": "es"})).status_code == 202
    for _ in range(5):
        await modelled.drain_jobs()
        (job,) = await jobs_of(localizer)
        assert (job["state"], job["attempt"], job["error"]["code"]) == ("queued", 0, "model_busy")
        modelled.clock.advance(minutes=1)
    say(modelled, {"x.one": "Guardar"})
    await modelled.drain_jobs()
    assert (await messages(modelled))["x.one"]["text"] == "Guardar"


async def test_a_busy_model_does_not_cost_a_draft_its_second_try(
    modelled, localizer, add_messages, messages, draft, say
):
    await add_messages(modelled, "es", {"x.hi": "Hi {name}"})
    say(modelled, {"x.hi": "Hola"})
    modelled.model.fail(429, "slow down", {"Retry-After": "60"})
    await draft(modelled, localizer)
    assert [job["state"] for job in await jobs_of(localizer)] == ["queued"]
    say(modelled, {"x.hi": "Hola {name}"})
    modelled.clock.advance(minutes=1)
    await modelled.drain_jobs()
    assert (await messages(modelled))["x.hi"]["text"] == "Hola {name}"


BAD_BODIES = (
    ({}, "/locale"),
    ({"locale": "en"}, "/locale"),
    ({"locale": "EN"}, "/locale"),
    ({"locale": "xx_nowhere"}, "/locale"),
    ({"locale": 1}, "/locale"),
    ({"locale": "es", "limit": 5}, "/limit"),
)


async def test_what_is_no_target_is_refused_by_name(hall):
    for body, pointer in BAD_BODIES:
        refused = await hall.operator.post(PATH, body)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
        assert refused.json()["errors"][0]["pointer"] == pointer


async def test_a_language_that_was_never_opened_has_nothing_to_draft_and_says_so(hall):
    answer = (await hall.operator.post(PATH, {"locale": "fr"})).json()
    assert (answer["queued"], answer["remaining"], answer["jobs"]) == (0, 0, [])
    assert "import it first" in answer["note"]
