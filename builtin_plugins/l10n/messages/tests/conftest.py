"""People who translate, and catalogs on disk beside the shipped ones."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from builtin_plugins.l10n.catalogs import files
from builtin_plugins.l10n.catalogs.served import ServedCatalogs
from builtin_plugins.l10n.tests.emptying import empty

SOURCES = {
    "demo.hello": "Hello {name}",
    "demo.notes": "{count, plural, one {# note} other {# notes}}",
    "demo.title": "Welcome",
    "demo.upper": "ÉCOLE",
}
TEXTS = {
    "demo.hello": "Hallo {name}",
    "demo.notes": "{count, plural, one {# notitie} other {# notities}}",
    "demo.title": "Welkom",
}


@dataclass
class Bureau:
    """A hall with somebody of each trade, and files of a namespace of the test's own."""

    hall: Any
    localizer: Any
    translator: Any
    reviewer: Any

    @property
    def folder(self):
        return self.hall.server.settings.data / "locales"

    def put_file(self, locale, texts):
        self.folder.mkdir(exist_ok=True)
        (self.folder / f"{locale}.json").write_text(json.dumps(texts), "utf-8")

    async def import_all(self, **body):
        status, answer = await self.localizer.call("POST", "/api/l10n/import", body)
        assert status == 200, answer
        return dict(answer)

    async def messages(self, locale="nl", **query):
        """All messages of the test's namespace, by key."""
        query = {"locale": locale, "ns": "demo", "limit": 200, **query}
        response = await self.translator.get("/api/l10n/messages", params=query)
        assert response.status_code == 200, response.text
        return {item["key"]: item for item in response.json()["items"]}

    async def message(self, key="demo.title", locale="nl"):
        return (await self.messages(locale))[key]

    async def submit(self, message, text, by=None, **headers):
        return await (by or self.translator).call(
            "PUT", f"/api/l10n/messages/{message['id']}", {"text": text}, **headers
        )

    async def review(self, message, action="approve", by=None, **more):
        return await (by or self.reviewer).call(
            "POST", f"/api/l10n/review/{message['id']}", {"action": action, **more}
        )

    async def history(self, message):
        _, answer = await self.translator.call("GET", f"/api/l10n/messages/{message['id']}/history")
        return answer["items"]

    async def coverage(self, locale="nl"):
        _, answer = await self.translator.call("GET", "/api/l10n/coverage")
        return next((item for item in answer["items"] if item["locale"] == locale), None)

    async def audited(self):
        _, answer = await self.hall.acme.owner.call("GET", "/api/audit?limit=200")
        return answer["items"]


@pytest.fixture(scope="session")
def few_texts(tmp_path_factory):
    """A folder with every sixtieth of the shipped messages, in their languages."""
    folder = tmp_path_factory.mktemp("few_texts")
    shipped = {
        locale: {key: text for texts in read_every(f"{locale}.json") for key, text in texts.items()}
        for locale in ("en", "es", "is", "nl")
    }
    keys = sorted(shipped["en"])[::60]
    for locale, texts in shipped.items():
        (folder / f"{locale}.json").write_text(json.dumps({key: texts[key] for key in keys if key in texts}))
    return folder


def read_every(name):
    """Returns the texts of each plugin that ships some."""
    return [json.loads(path.read_text("utf-8")) for path in files.SHIPPED.parents[1].glob(f"*/texts/{name}")]


@pytest.fixture(autouse=True)
def _few_are_shipped(few_texts, monkeypatch):
    """Every import would read and write all that is shipped; `tests/test_texts.py` and others do so once."""
    monkeypatch.setattr(files, "SHIPPED", few_texts)
    monkeypatch.setattr(files.read_catalogs, "__defaults__", (few_texts,))
    places = ServedCatalogs._places

    def places_of_others(self):
        contributed, overlay = places(self)
        return [one for one in contributed if not files.is_ours(one[1])], overlay

    monkeypatch.setattr(ServedCatalogs, "_places", places_of_others)


@pytest.fixture
async def bureau(hall):
    """Nothing is imported yet."""
    await empty(hall)
    people = [await hall.join(hall.acme, role) for role in ("localizer", "translator", "reviewer")]
    bureau = Bureau(hall, *people)
    bureau.put_file("en", SOURCES)
    bureau.put_file("nl", TEXTS)
    return bureau


@pytest.fixture
async def imported(bureau):
    """Everything is."""
    await bureau.import_all()
    return bureau
