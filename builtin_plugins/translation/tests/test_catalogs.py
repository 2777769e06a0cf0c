"""Catalogs: every key comes back, with its placeholders and plurals or with its source text and a problem."""

import asyncio
import json

import pytest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

PATH = "/api/translate/catalog"
COUNT = "{n, plural, one {# order} other {# orders}}"


async def translate(client, messages, target="es", **more):
    return await client.post(PATH, {"target": target, "messages": messages, **more})


async def test_messages_come_back_by_their_keys_in_one_metered_turn(modelled, answer, sent, used):
    spanish = {"hi": "¡Hola {name}!", "count": "{n, plural, one {# pedido} many {# de pedidos} other {#}}"}
    answer(**spanish)
    reply = await translate(modelled.acme.member, {"hi": "Hi {name}!", "count": COUNT}, source="en")
    made = reply.json()
    assert (reply.status_code, made["target"], made["messages"], made["problems"]) == (200, "es", spanish, [])
    assert (made["simulated"], made["untranslated"], made["missed"]) == (False, False, [])
    assert sent()["messages"] == {"hi": "Hi {name}!", "count": COUNT}
    assert sent()["plural_categories"] == ["one", "many", "other"]
    assert await used(modelled.acme.member) == (1, made["usage"]["total_tokens"], 0)
    assert (await modelled.acme.member.get("/api/translate")).json()["items"] == []


BREAKING = [
    ("Hi {name}!", "¡Hola!", "lacks the argument {name}"),
    ("Hi {name}!", "¡Hola {nombre}!", "lacks the argument {name}"),
    ("Hi {name}!", "¡Hola {name!", "no ICU message"),
    ("Hi {name}!", "¡Hola '{name}'!", "lacks the argument {name}"),
    ("Hi {name}!", None, "left it out"),
    ("Hi {name}!", "{name} " * 500, "far longer"),
    ("Hi", " ", "empty"),
    (COUNT, "{n, plural, one {# pedido}}", "lacks other"),
    (COUNT, "{n, plural, few {#} other {#}}", "category few"),
    (COUNT, "{n} pedidos", "must be plural"),
    ("{g, select, f {She} other {They}}", "{g, select, ella {Ella} other {X}}", "lacks f"),
]


async def test_a_translation_that_breaks_a_message_is_a_problem_and_the_source_stays(modelled, answer):
    for source, broken, why in BREAKING:
        answers = {"fine": "Bien"} | ({} if broken is None else {"bad": broken})
        answer(**answers)
        answer(**answers)
        made = (await translate(modelled.acme.member, {"bad": source, "fine": "Fine"})).json()
        assert made["messages"] == {"bad": source, "fine": "Bien"}
        (problem,) = made["problems"]
        assert problem["key"] == "bad"
        assert why in problem["message"]


async def test_what_is_wrong_is_asked_for_once_more_and_alone(modelled, answer, sent):
    answer(hi="¡Hola!", bye="Adiós")
    answer(hi="¡Hola {name}!")
    made = (await translate(modelled.acme.member, {"hi": "Hi {name}!", "bye": "Bye"})).json()
    assert (made["messages"], made["problems"]) == ({"hi": "¡Hola {name}!", "bye": "Adiós"}, [])
    assert sent()["messages"] == {"hi": "Hi {name}!"}
    assert "{name}" in sent()["problems"]["hi"]


async def test_a_source_that_does_not_compile_or_has_no_words_is_not_sent(modelled, answer, sent):
    messages = {"bad": "Hi {name", "bare": "{a} – {b}", "empty": "", "hi": "Hi"}
    answer(hi="Hola")
    made = (await translate(modelled.acme.member, messages)).json()
    assert made["messages"] == {**messages, "hi": "Hola"}
    assert [problem["key"] for problem in made["problems"]] == ["bad"]
    assert "character 4" in made["problems"][0]["message"]
    assert sent()["messages"] == {"hi": "Hi"}


async def test_the_glossary_holds_in_messages_too_and_never_in_placeholders(modelled, answer, put_term):
    await put_term(modelled.acme.owner, "order", "pedido")
    messages = {"a": "Your order {order}", "b": "An order", "c": "{order}"}
    for _ in range(2):
        answer(a="Su order {order}", b="Un encargo")
    made = (await translate(modelled.acme.member, messages)).json()
    assert made["messages"] == {"a": "Su pedido {order}", "b": "Un encargo", "c": "{order}"}
    assert made["glossary"] == [{"term": "order", "translation": "pedido"}]
    assert made["missed"] == [{"key": "b", "term": "order", "translation": "pedido"}]
    assert made["problems"] == []


async def test_without_a_model_the_glossary_is_applied_and_nothing_else(hall, put_term, used):
    await put_term(hall.acme.owner, "order", "pedido")
    await put_term(hall.acme.owner, "brace", "{x}")
    messages = {"a": "The order of {order}: '{order}'", "b": COUNT, "c": "A brace"}
    made = (await translate(hall.acme.member, messages)).json()
    assert made["messages"] == {
        "a": "The pedido of {order}: '{pedido}'",
        "b": "{n, plural, one {# pedido} other {# orders}}",
        "c": "A brace",
    }
    assert (made["simulated"], made["untranslated"], made["problems"]) == (True, True, [])
    assert made["missed"] == [{"key": "c", "term": "brace", "translation": "{x}"}]
    assert (await used(hall.acme.member))[0] == 1


async def test_many_messages_take_few_turns(hall, used):
    messages = {f"key {number}": f"Message number {number}" for number in range(250)}
    made = (await translate(hall.acme.member, messages)).json()
    assert [*made["messages"]] == [*messages]
    assert (await used(hall.acme.member))[0] == 3


async def test_when_a_later_turn_fails_what_is_done_is_not_lost(modelled, answer):
    messages = {f"k{number}": "Hi" for number in range(250)}
    answer(**{f"k{number}": "Hola" for number in range(100)})
    modelled.model.fail(400)
    made = (await translate(modelled.acme.member, messages)).json()
    assert [made["messages"][key] for key in ("k0", "k99", "k100", "k249")] == ["Hola", "Hola", "Hi", "Hi"]
    assert len(made["problems"]) == 150
    assert len(modelled.model.calls) == 2


async def test_a_model_that_fails_at_once_is_the_answer(modelled):
    modelled.model.fail(400)
    refused = await translate(modelled.acme.member, {"a": "Hi"})
    assert (refused.status_code, refused.json()["code"]) == (502, "model_unavailable")


async def test_a_key_may_be_any_text(modelled):
    messages = {"$ref": "Hi", "a/b~c": "Hi", "__proto__": "Hi", "ключ": "Hi"}
    modelled.model.say(json.dumps({"messages": dict.fromkeys(messages, "Hola")}))
    made = (await translate(modelled.acme.member, messages)).json()
    assert made["messages"] == dict.fromkeys(messages, "Hola")


async def test_long_keys_take_more_turns_and_no_larger_schema(modelled):
    messages = {"\U0001f600" * 190 + f"{number:03}": "Hi" for number in range(100)}
    for _ in range(8):
        modelled.model.say(json.dumps({"messages": dict.fromkeys(messages, "Hola")}))
    reply = await translate(modelled.acme.member, messages)
    assert (reply.status_code, len(modelled.model.calls)) == (200, 8)
    assert reply.json()["messages"] == dict.fromkeys(messages, "Hola")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"target": "es"}, "/messages"),
        ({"target": "es", "messages": {}}, "/messages"),
        ({"target": "es", "messages": ["Hi"]}, "/messages"),
        ({"target": "es", "messages": {"a": 1}}, "/messages/a"),
        ({"target": "es", "messages": {"": "Hi"}}, "/messages/"),
        ({"target": "es", "messages": {"k" * 201: "Hi"}}, "/messages/k"),
        ({"target": "es", "messages": {"a/b": "x" * 10_001}}, "/messages/a~1b"),
        ({"target": "es", "messages": dict.fromkeys(map(str, range(2_001)), "Hi")}, "/messages"),
        ({"target": "es", "messages": dict.fromkeys(map(str, range(11)), "x" * 10_000)}, "/messages"),
        ({"target": "?", "messages": {"a": "Hi"}}, "/target"),
    ],
)
async def test_what_is_not_taken_is_named_and_reaches_no_model(refusing, used, body, pointer):
    refused = await refusing.acme.member.post(PATH, body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert pointer in json.dumps(refused.json())
    assert (refusing.model.calls, (await used(refusing.acme.member))[0]) == ([], 0)


async def test_the_turns_of_a_caller_who_leaves_end(modelled, on_call):
    modelled.model.hang()
    asked = asyncio.create_task(translate(modelled.acme.member, {"a": "Hi"}))
    on_call(asked.cancel)
    async with asyncio.timeout(60):
        await asyncio.wait({asked})
        await modelled.model.calls[0].left.wait()
