"""A hall that finds by meaning, with a model that knows a few subjects and no language."""

import re
from array import array
from types import SimpleNamespace

import pytest
import pytest_asyncio

from builtin_plugins.embeddings import models
from builtin_plugins.embeddings.reading import PassageReader
from builtin_plugins.embeddings.upkeep import Upkeep

SUBJECTS = (
    "ship boat vessel harbour",
    "leave holiday vacation rest",
    "money price tariff cost",
    "tree wood forest",
)
DIMENSIONS = 64
ON = {"SERVICE_EMBEDDINGS": "1"}


class SubjectModel:
    """A vector says which subjects a text is about; words of none point somewhere of their own."""

    def embed(self, texts):
        return [array("f", self._vector(text)) for text in texts]

    def _vector(self, text):
        vector = [0.0] * DIMENSIONS
        for word in re.findall(r"\w+", text.lower()):
            about = next((n for n, subject in enumerate(SUBJECTS) if word in subject.split()), None)
            place = about if about is not None else len(SUBJECTS) + sum(map(ord, word)) % (DIMENSIONS - 8)
            vector[place] += 20.0 if about is not None else 1.0
        return vector if any(vector) else [1.0] * DIMENSIONS


@pytest.fixture
def subject_model(monkeypatch):
    """Puts a small model in the place of the embedded one."""
    model = SubjectModel()
    monkeypatch.setattr(models, "loaded", lambda: model)
    monkeypatch.setattr(models, "_kept", {})
    monkeypatch.setattr(models, "package_folder", lambda: "here")
    monkeypatch.setattr("builtin_plugins.embeddings.finding.package_folder", lambda: "here")
    return model


def tools_of(hall):
    """The words of tests: write, read, find."""
    server = hall.server

    async def note(title, body="", client=None, **fields):
        made = await (client or hall.acme.member).post("/api/notes", {"title": title, "body": body, **fields})
        assert made.status_code == 201, made.text
        return made.json()["id"]

    async def file(key, content, client=None, **query):
        made = await (client or hall.acme.member).put(f"/api/repo/{key}", content=content, params=query)
        assert made.status_code in (200, 201), made.text
        return made.json()

    async def read():
        await server.service(Upkeep).catch_up()
        await server.service(PassageReader).drain()

    async def search(q, client=None, **query):
        answer = await (client or hall.acme.member).get("/api/search", params={"q": q, **query})
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def ids(q, client=None, **query):
        return [item["id"] for item in (await search(q, client, **query))["items"]]

    return SimpleNamespace(hall=hall, note=note, file=file, read=read, search=search, ids=ids)


@pytest_asyncio.fixture(loop_scope="session")
async def reading(share_hall, subject_model):
    async with share_hall(**ON) as hall:
        yield tools_of(hall)
