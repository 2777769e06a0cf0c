"""A stranger's store takes the place of ours, and what ours promises: order, batches, memory."""

import pytest

from builtin_plugins.embeddings.stores import Stores
from builtin_plugins.embeddings.tests.conftest import ON, tools_of
from builtin_plugins.embeddings.vectors import Codes, codes_of, packed, similarities, unit
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.services.search import VectorStoreKind

np = pytest.importorskip("numpy")


class Shelf:
    """A store that keeps vectors in a dictionary."""

    PLUGIN = Plugin("shelf", "Shelf", "1.0", "Keeps vectors.", requires=("embeddings",))

    def __init__(self, lacks=None):
        self.vectors, self.asked, self.lacks = {}, 0, lacks

    @hookimpl
    def declare_vector_stores(self):
        async def missing(reader):
            return self.lacks

        return (VectorStoreKind(name="shelf", rank=5, open=lambda host: self, missing=missing),)

    async def put(self, writer, org_id, space, vectors):
        self.vectors |= {(org_id, space, id_): vector for id_, vector in vectors.items()}

    async def remove(self, writer, org_id, ids):
        self.vectors = {key: vector for key, vector in self.vectors.items() if key[2] not in ids}

    async def nearest(self, reader, org_id, space, vector, among):
        self.asked += 1
        mine = {
            key[2]: np.dot(vector, kept) for key, kept in self.vectors.items() if key[:2] == (org_id, space)
        }
        order = sorted((id_ for id_ in mine if among is None or id_ in among), key=lambda id_: -mine[id_])
        for start in range(0, len(order), 2):
            yield order[start : start + 2]


async def test_a_store_of_a_stranger_is_used_where_it_lacks_nothing(open_hall, subject_model):
    shelf = Shelf()
    async with open_hall(shelf, **ON) as hall:
        tools = tools_of(hall)
        note = await tools.note("Berths", "A vessel.")
        gone = await tools.note("Quay", "A boat.")
        await tools.read()
        assert len(shelf.vectors) == 2 and hall.server.service(Stores).name == "shelf"
        assert sorted(await tools.ids("ship", mode="meaning")) == sorted([note, gone])
        assert shelf.asked > 0
        await hall.acme.member.delete(f"/api/notes/{gone}")
        await hall.acme.member.put(f"/api/notes/{note}", {"body": "A forest."})
        await tools.read()
        assert len(shelf.vectors) == 1
        assert await tools.ids("tree", mode="meaning") == [note]


async def test_a_store_that_lacks_something_is_passed_over(open_hall, subject_model):
    shelf = Shelf(lacks="an extension")
    async with open_hall(shelf, **ON) as hall:
        tools = tools_of(hall)
        note = await tools.note("Berths", "A vessel.")
        await tools.read()
        assert await tools.ids("ship", mode="meaning") == [note]
        assert (shelf.asked, hall.server.service(Stores).name) == (0, "tables")


def test_codes_order_about_as_the_angles_do():
    chance = np.random.default_rng(3)
    vectors = unit(chance.standard_normal((3_000, 256), dtype=np.float32))
    question = unit(vectors[:1] + 0.5 * unit(chance.standard_normal((1, 256), dtype=np.float32)))
    codes = Codes()
    codes.add(range(1, 3_001), codes_of(vectors))
    order = np.argsort(codes.distances(codes_of(question)[0], 0, 3_000), kind="stable")
    assert codes.ids_at(order[:1]) == [1]
    exact = set(np.argsort(-(vectors @ question[0]))[:10])
    assert len(exact & set(order[:256])) >= 8


def test_eight_bits_a_number_are_near_enough():
    chance = np.random.default_rng(3)
    vectors = unit(chance.standard_normal((50, 256), dtype=np.float32))
    found = similarities(vectors[0], packed(vectors), 256)
    assert np.abs(found - vectors @ vectors[0]).max() < 0.01


def test_codes_grow_and_are_found_by_their_ids():
    codes = Codes()
    for start in range(1, 1_000, 100):
        codes.add(range(start, start + 100), [bytes([start % 251] * 64)] * 100)
    assert (codes.count, codes.last_id) == (1_000, 1_000)
    assert codes.ids_at(codes.places([5, 999, 2_000, -1])) == [5, 999]
    assert codes.codes_at(codes.places([5])).count == 1
    assert codes.size < 1_000 * 72 * 1.5
