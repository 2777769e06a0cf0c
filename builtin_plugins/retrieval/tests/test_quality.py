"""How well the model inside finds, in English and Dutch: by words of a document, and by none of them."""

from pathlib import Path

import pytest

from builtin_plugins.embeddings.reading import PassageReader
from guildhall_sdk.services.search import Retrieval

pytest.importorskip("wordllama")
pytestmark = pytest.mark.any_database

ROWS = [
    line.split("|")
    for line in (Path(__file__).with_name("quality") / "documents.txt").read_text("utf-8").splitlines()
]
QUESTIONS = [(number, question) for number, row in enumerate(ROWS) for question in (row[3], row[4])]


async def test_meaning_and_words_find_a_quarter_more_than_words_alone(open_hall):
    assert (len(ROWS), len(QUESTIONS)) == (100, 200)
    async with open_hall(SERVICE_EMBEDDINGS="1") as hall:
        member, ids = hall.acme.member, []
        for _, title, body, *_ in ROWS:
            made = await member.post("/api/notes", {"title": title, "body": body})
            ids.append(made.json()["id"])
        await hall.server.service(PassageReader).drain()
        found = {"words": 0, "hybrid": 0}
        for number, question in QUESTIONS:
            for mode in found:
                answer = await member.get("/api/search", params={"q": question, "mode": mode, "limit": 10})
                hits = answer.json()["items"]
                found[mode] += ids[number] in {hit["id"] for hit in hits}
                for hit in hits:  # what is quoted stands there
                    row = ROWS[ids.index(hit["id"])]
                    assert mode == "words" or hit["passage"]["text"] == row[2]
        print({mode: count / len(QUESTIONS) for mode, count in found.items()})  # noqa: T201
        assert found["hybrid"] >= 1.25 * found["words"]

        caller = await hall.principal(member)
        retrieved = 0
        for number, question in QUESTIONS:
            passages = await hall.server.service(Retrieval).passages(caller, question)
            retrieved += ids[number] in {passage.id for passage in passages}
            assert all(passage.text == ROWS[ids.index(passage.id)][2] for passage in passages)
        print({"retrieved": retrieved / len(QUESTIONS)})  # noqa: T201
        assert retrieved >= 0.65 * len(QUESTIONS)
