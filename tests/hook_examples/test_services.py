"""The examples of services that plugins offer."""

import base64

import pytest

pytestmark = pytest.mark.hall_databases("sqlite")

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'
RUNNING = b'<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'


async def test_pictures_and_themes_are_checked(open_hall, example):
    async with open_hall(example("crest")) as hall:

        async def check(content=PICTURE, accent="#003366"):
            data = base64.b64encode(content).decode()
            body = {"type": "image/svg+xml", "data": data, "accent": accent}
            answer = await hall.acme.member.post("/api/x/crest/check", body)
            return answer.status_code, answer.json()

        status, checked = await check()
        assert (status, checked["size"], len(checked["sha256"])) == (200, len(PICTURE), 64)
        assert (await check(content=RUNNING))[0] == 400
        assert (await check(content=b"x" * 600_000))[0] == 413
        status, refused = await check(accent="#eeeeee")
        assert (status, refused["code"]) == (400, "theme_invalid")


async def test_the_herald_asks_streams_and_translates(open_hall, example):
    async with open_hall(example("herald"), with_model=True) as hall:
        member, model = hall.acme.member, hall.model
        model.say('{"title": "Peace at last"}')
        assert await hall.tool("herald_title", as_=member, text="Peace.") == "Peace at last"
        model.say("Hear ye")
        async with member.events("POST", "/api/herald", {"text": "Peace."}) as events:
            *pieces, done = [event async for event in events]
        assert "".join(piece.data["text"] for piece in pieces) == "Hear ye"
        assert (done.event, "total_tokens" in done.data) == ("done", True)
        model.say('{"text": "Vrede.", "source": "en"}')
        answer = await member.post("/api/x/herald/abroad", {"text": "Peace."})
        assert answer.json() == {"text": "Vrede.", "untranslated": False}
        used = (await member.get("/api/usage?by=user")).json()["items"]
        assert [line["requests"] for line in used] == [3]


async def test_the_press_fills_templates_compares_messages_and_runs_a_program(open_hall, example):
    async with open_hall(example("press")) as hall:

        async def ask(path, **body):
            answer = await hall.acme.member.post(f"/api/x/press/{path}", body)
            return answer.status_code, answer.json()

        template = "Dear {{name}}, *welcome*"
        filled = await ask("leaflets", template=template, data={"name": "*Ada*"})
        assert filled == (200, {"text": r"Dear \*Ada\*, *welcome*", "words": 3})
        status, refused = await ask("leaflets", template="{{#open}}", data={})
        assert (status, refused["code"]) == (400, "invalid_template")

        source = "{count, plural, one {# note} other {# notes}}"
        kept = "{count, plural, one {# nuta} few {# nuty} other {# nut}}"
        assert await ask("messages", source=source, text=kept) == (200, {"problems": []})
        lost = ["the translation lacks the argument {count}"]
        assert await ask("messages", source=source, text="nuty") == (200, {"problems": lost})

        assert await ask("calculations") == (200, {"said": "42\n"})
