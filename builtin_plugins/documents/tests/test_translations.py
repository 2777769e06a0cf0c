"""`doc_translate`: in pieces, with everything that is no language left where it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.documents import paragraphs, translations
from builtin_plugins.documents.paragraphs import MAX_PIECE, groups, split_paragraphs
from guildhall_sdk import InvalidRequest, TooLarge
from guildhall_sdk.errors import FeatureDisabled
from guildhall_sdk.jobs import JobScope, running_job
from libs.fair_slots import finished

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

TEXT = """---
title: Plan
---
# The plan

We plant {{crop}}.

```
code stays
```

- See [here](https://example.org/a).
- 12

---
"""


@pytest.fixture
def translate(model_hall):
    async def translate(client, made, locale="nl", **more):
        artifact = await model_hall.tool(
            "doc_translate", as_=client, object=made["id"], locale=locale, **more
        )
        return artifact.public()

    return translate


def say(hall, text):
    hall.model.say(json.dumps({"text": text, "source": "en"}))


def asked(hall):
    return [json.loads(call.body["messages"][1]["content"])["text"] for call in hall.model.calls]


@given(st.text("ab #`~-\n.{", max_size=400))
def test_paragraphs_put_together_are_the_text(text):
    found = finished(split_paragraphs(text))
    assert "".join(one.text + one.after for one in found) == text
    assert [one for group in groups(found) for one in group] == found


@pytest.mark.parametrize("sign", ["a", "ab ", "One. ", "line\n"])
def test_a_long_paragraph_is_cut_into_pieces_that_a_turn_takes(sign):
    text = (sign * 20_000).strip()
    found = finished(split_paragraphs(text))
    assert "".join(one.text + one.after for one in found) == text
    assert max(len(one.text) for one in found) <= MAX_PIECE
    assert all(sum(len(one.text) for one in group) <= MAX_PIECE for group in groups(found))


LONG = ["1\n\n" * 66_000, "a\n" * 99_000, "\n" * 199_000 + "a", "```\n1\n" * 33_000]


@pytest.mark.own_server
async def test_a_long_document_is_taken_apart_in_short_steps(hall, upload, thread_steps):
    for text in LONG:
        made = await upload(hall.acme.member, "a.md", text.encode())
        await hall.drain_jobs()
        thread_steps.clear()
        await hall.tool("doc_translate", as_=hall.acme.member, object=made["id"], locale="nl")
        assert max(thread_steps) < 0.05, text[:10]


async def test_a_document_is_translated_and_what_is_no_language_stays(model_hall, upload, translate, content):
    author = model_hall.acme.member
    made = await upload(author, "plan.md", TEXT.encode())
    say(model_hall, "# Het plan\n\nWij planten {{crop}}.")
    say(model_hall, "- Zie [hier](https://example.org/a).\n- 12")
    output = await translate(author, made, "nl-be", run="run_1", step="translate")
    assert (output["key"], output["locale"]) == ("plan.translate.nl-BE.md", "nl-BE")
    assert asked(model_hall) == [
        "# The plan\n\nWe plant {{crop}}.",
        "- See [here](https://example.org/a).\n- 12",
    ]
    expected = TEXT.replace("# The plan", "# Het plan").replace("We plant", "Wij planten")
    expected = expected.replace("See [here]", "Zie [hier]")
    assert await content(author, output["object_id"]) == expected
    assert (output["unchanged"], output["untranslated"]) == (0, False)
    assert (await author.get("/api/translate")).json()["items"] == []


async def test_an_answer_in_another_form_is_asked_for_paragraph_by_paragraph(
    model_hall, upload, translate, content
):
    author = model_hall.acme.member
    made = await upload(author, "a.md", b"# One\n\nTwo {name}.\n\nThree.\n")
    say(model_hall, "Een. Twee. Drie.")
    say(model_hall, "Een")
    say(model_hall, "Twee naam.")
    say(model_hall, "Drie.\n\nEn meer.")
    output = await translate(author, made)
    assert await content(author, output["object_id"]) == "# Een\n\nTwo {name}.\n\nDrie.\nEn meer.\n"
    assert output["unchanged"] == 1


async def test_each_locale_has_a_document_and_each_run_a_version(model_hall, upload, translate):
    author = model_hall.acme.member
    made = await upload(author, "a.txt", b"Hello.")
    for text in ("Hallo.", "Hola.", "Dag."):
        say(model_hall, text)
    first, spanish, again = [await translate(author, made, locale) for locale in ("nl", "es", "nl")]
    assert (first["key"], spanish["key"]) == ("a.translate.nl.md", "a.translate.es.md")
    assert (again["object_id"], again["version"]) == (first["object_id"], 2)


async def test_without_a_model_the_document_says_that_it_is_not_translated(hall, upload, content):
    author = hall.acme.member
    await hall.acme.owner.post(
        "/api/glossary", {"target": "nl", "term": "rhubarb", "translation": "rabarber"}
    )
    made = await upload(author, "a.md", b"We plant rhubarb.\n")
    output = (await hall.tool("doc_translate", as_=author, object=made["id"], locale="nl")).public()
    assert (output["simulated"], output["untranslated"]) == (True, True)
    written = await content(author, output["object_id"])
    assert written.startswith("> Not translated into nl: no model is configured")
    assert written.endswith("\n\nWe plant rabarber.\n")


@pytest.mark.parametrize("end", ["---", "..."])
async def test_front_matter_stays_before_the_word_that_nothing_was_translated(hall, upload, content, end):
    author = hall.acme.member
    for blank in ("", "\n"):
        made = await upload(author, "a.md", f"---\ntitle: Plan\n{end}\n{blank}# The plan\n".encode())
        output = await hall.tool("doc_translate", as_=author, object=made["id"], locale="nl")
        head, note, rest = (await content(author, output.object_id)).split("\n\n")
        assert (head, rest) == (f"---\ntitle: Plan\n{end}", "# The plan\n")
        assert note.startswith("> Not translated into nl")


async def test_what_cannot_be_translated_reaches_no_model(model_hall, upload, translate, monkeypatch, listed):
    author = model_hall.acme.member
    made = await upload(author, "a.txt", b"Hello there.")
    with pytest.raises(InvalidRequest) as refusal:
        await translate(author, made, "not a locale")
    assert refusal.value.errors[0]["pointer"] == "/locale"
    monkeypatch.setattr(translations, "MAX_CHARACTERS", 5)
    with pytest.raises(TooLarge):
        await translate(author, made)
    await model_hall.set_feature(model_hall.acme, "translate", False)
    with pytest.raises(FeatureDisabled):
        await translate(author, made)
    assert (model_hall.model.calls, await listed(author)) == ([], ["a.txt"])


async def test_a_model_that_fails_half_way_leaves_nothing_half_written(
    model_hall, upload, translate, listed, monkeypatch
):
    monkeypatch.setattr(paragraphs, "MAX_PIECE", 12)
    author = model_hall.acme.member
    made = await upload(author, "a.txt", b"Hello there.\n\nGood night.\n")
    say(model_hall, "Hallo daar.")
    for _ in range(5):
        model_hall.model.fail(500)
    with pytest.raises(Exception, match="model"):
        await translate(author, made)
    assert await listed(author) == ["a.txt"]


async def test_a_long_document_tells_how_far_it_is(model_hall, upload, translate, monkeypatch):
    monkeypatch.setattr(paragraphs, "MAX_PIECE", 12)
    author, told = model_hall.acme.member, []
    made = await upload(author, "a.txt", b"Hello there.\n\nGood night.\n")

    async def listen(fraction):
        told.append(fraction)

    token = running_job.set(JobScope(progress=listen))
    for text in ("Hallo daar.", "Goede nacht."):
        say(model_hall, text)
    await translate(author, made)
    running_job.reset(token)
    assert told == [0, 0.5]
