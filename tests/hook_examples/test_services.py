"""The examples of services that plugins offer."""

import base64

import pytest

pytestmark = pytest.mark.hall_databases("sqlite")

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'
RUNNING = b'<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'


async def test_pictures_and_themes_are_judged(open_hall, example):
    async with open_hall(example("crest")) as hall:

        async def judge(content=PICTURE, accent="#003366"):
            data = base64.b64encode(content).decode()
            body = {"type": "image/svg+xml", "data": data, "accent": accent}
            answer = await hall.acme.member.post("/api/x/crest/judge", body)
            return answer.status_code, answer.json()

        status, judged = await judge()
        assert (status, judged["size"], len(judged["sha256"])) == (200, len(PICTURE), 64)
        assert (await judge(content=RUNNING))[0] == 400
        assert (await judge(content=b"x" * 600_000))[0] == 413
        status, refused = await judge(accent="#eeeeee")
        assert (status, refused["code"]) == (400, "theme_invalid")
