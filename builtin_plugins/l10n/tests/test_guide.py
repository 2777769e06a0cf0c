"""What the guide on localization shows is what is answered."""

import json
import re

import pytest

from tests.documented import ROOT, files_of

PAGE = "docs/localization.md"
_EXAMPLE = re.compile(r"```http\n(\w+) (\S+)\n(.*?)```\n\n```json\n(.*?)```", re.DOTALL)

pytestmark = pytest.mark.hall_databases("sqlite")


async def test_what_the_guide_shows_is_what_is_answered(hall):
    guide = (ROOT / PAGE).read_text("utf-8")
    reading, changing = _EXAMPLE.findall(guide)
    shown = json.loads(reading[3])
    answer = (await hall.anonymous.get(reading[1])).json()
    messages = shown.pop("messages")
    del messages["…"]
    assert {name: answer[name] for name in shown} == shown
    assert {key: answer["messages"][key] for key in messages} == messages
    answer = await hall.operator.put(changing[1], json.loads(changing[2]))
    assert answer.json() == json.loads(changing[3])


async def test_the_plugin_of_the_guide_speaks_its_languages(open_hall, tmp_path):
    files_of(PAGE, "harbour", tmp_path)
    async with open_hall(SERVICE_PLUGINS=str(tmp_path)) as hall:
        answer = await hall.acme.viewer.get("/api/x/harbour/sign", params={"locale": "nl-BE"})
        assert answer.json() == {"sign": "Haven", "chain": ["nl-BE", "nl", "en"]}
        catalog = (await hall.anonymous.get("/api/i18n/catalog", params={"locale": "nl"})).json()
        assert "Geen schepen" in catalog["messages"]["harbour.ships"]
