"""A source that fails costs its own hits, and nobody else's."""

import pytest

from guildhall_sdk import Plugin, SearchSource, Statement, hookimpl
from guildhall_sdk.services.search import Findable, SearchIndex

pytestmark = pytest.mark.any_database

# Both can be prepared, and fail when they meet an id that is no number.
FAILING = Statement(
    "failing",
    "SELECT 1 WHERE json_extract(hit.ref_id, '$') = 1",
    "SELECT 1 WHERE CAST(hit.ref_id AS INTEGER) = 1",
)
ANYTHING = Statement("anything", "SELECT 1", "SELECT 1")
EVERY = Statement(
    "every_box",
    "SELECT json_extract('no', '$') AS ref_id WHERE 'a' > :after LIMIT :limit",
    "SELECT CAST(CAST(:after AS TEXT) || 'no' AS INTEGER) AS ref_id LIMIT :limit",
)


class Toy:
    PLUGIN = Plugin("toy", "Toy", "1", "A source that fails", requires=("search",))

    @hookimpl
    def declare_search_sources(self):
        return [
            SearchSource("box", "search", "/api/boxes/{id}", FAILING, ANYTHING, every=EVERY),
            SearchSource("crate", "search", "/api/crates/{id}", ANYTHING, ANYTHING),
        ]


async def _put(hall, type, ref_id):
    async with hall.server.data.write() as writer:
        found = Findable(type, ref_id, hall.acme.org_id, hall.acme.team_id, "Amber", "amber")
        await hall.server.service(SearchIndex).put(writer, found)


@pytest.mark.every_database
async def test_a_source_that_fails_is_left_out_and_named(open_hall, caplog):
    async with open_hall(Toy()) as hall:
        assert [record.fields for record in _told(caplog)] == [{"source": "box", "plugin": "toy"}]
        hall.clock.advance(seconds=61)
        await _put(hall, "box", "no-number")
        await _put(hall, "crate", "crate_1")
        for _ in range(2):  # the second time it is known
            page = (await hall.acme.member.get("/api/search?q=amber")).json()
            assert [item["id"] for item in page["items"]] == ["crate_1"]
            assert page["unavailable"] == ["box"]
        assert len(_told(caplog)) == 2
        alone = (await hall.acme.member.get("/api/search?q=amber&type=box")).json()
        assert (alone["items"], alone["unavailable"]) == ([], ["box"])
        across = (await hall.acme.reader.get("/api/search?q=amber&scope=org&type=crate")).json()
        assert (len(across["items"]), across["unavailable"]) == (1, [])
        hall.clock.advance(seconds=61)
        across = (await hall.acme.reader.get("/api/search?q=amber&scope=org")).json()
        assert (len(across["items"]), across["unavailable"]) == (2, []), "it is asked again after a minute"


def _told(caplog):
    return [record for record in caplog.records if record.msg == "search.source_failed"]
