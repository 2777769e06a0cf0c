"""What every blob store holds to, whatever it keeps the bytes in."""

import asyncio
import hashlib
import itertools
import random

import pytest

from guildhall_sdk.blobs import BlobCorrupt, BlobMissing
from libs.blob_layout import BLOCK
from libs.blob_layout.tests.earlier_release import stored_by_an_earlier_release

SIZES = [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5, 33 * BLOCK + 7]
DIGEST = hashlib.sha256(b"x").hexdigest()


def some_bytes(size):
    return hashlib.shake_128(str(size).encode()).digest(size)


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_put_comes_back(spoilable, size):
    content = some_bytes(size)
    blob = await spoilable.put("org_a", content)
    assert (blob.sha256, blob.size) == (hashlib.sha256(content).hexdigest(), size)
    assert await spoilable.read("org_a", blob.sha256) == content
    assert await spoilable.store.stat("org_a", blob.sha256) == size
    assert await spoilable.kept() == {("org_a", blob.sha256, size)}


@pytest.mark.parametrize("ranges", [16, pytest.param(None, marks=pytest.mark.long_form, id="all")])
@pytest.mark.parametrize("size", [0, 1, BLOCK, SIZES[-2]])
async def test_every_range_is_the_slice_it_says(spoilable, size, ranges):
    content = some_bytes(size)
    blob = await spoilable.put("org_a", content)
    edges = sorted({0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, size - 1, size, size + 1, size + BLOCK * 3})
    starts = [edge for edge in edges if edge >= 0]
    pairs = list(itertools.product(starts, [*starts, None]))
    for start, end in random.Random(size).sample(pairs, ranges) if ranges else pairs:
        found = await spoilable.read("org_a", blob.sha256, start, end)
        assert found == content[start:end], (start, end)


@pytest.mark.parametrize(("start", "end"), [(-1, None), (0, -1)])
async def test_a_negative_range_is_refused(spoilable, start, end):
    blob = await spoilable.put("org_a", b"abc")
    with pytest.raises(ValueError):
        await spoilable.read("org_a", blob.sha256, start, end)


async def test_the_shape_of_the_chunks_does_not_matter(spoilable):
    content = some_bytes(2 * BLOCK + 3)

    async def uneven():
        yield b""
        yield content[:1]
        yield content[1 : BLOCK + 9]
        yield b""
        for start in range(BLOCK + 9, len(content), 17):
            yield content[start : start + 17]

    blob = await spoilable.store.put("org_a", uneven())
    assert await spoilable.read("org_a", blob.sha256) == content


@pytest.mark.parametrize("size", [0, 10, 5 * BLOCK + 1])
async def test_other_hashers_see_every_byte_and_the_check_comes_after_them(spoilable, size):
    content = some_bytes(size)
    md5, sha1 = hashlib.md5(), hashlib.sha1()
    seen = []
    blob = await spoilable.put(
        "org_a",
        content,
        also=[md5, sha1],
        check=lambda blob: seen.append((blob, md5.hexdigest(), sha1.hexdigest())),
    )
    assert seen == [(blob, hashlib.md5(content).hexdigest(), hashlib.sha1(content).hexdigest())]


@pytest.mark.parametrize("size", [10, 35 * BLOCK])
async def test_what_the_check_refuses_is_not_kept(spoilable, size):
    def refuse(blob):
        raise LookupError(blob.sha256)

    with pytest.raises(LookupError):
        await spoilable.put("org_a", some_bytes(size), check=refuse)
    assert await spoilable.kept() == set()


@pytest.mark.parametrize("given", [0, 10, 35 * BLOCK])
async def test_a_source_that_breaks_off_leaves_nothing(spoilable, given):
    content = some_bytes(given)

    async def breaking():
        for start in range(0, given, BLOCK):
            yield content[start : start + BLOCK]
        raise ConnectionResetError("the caller went away")

    with pytest.raises(ConnectionResetError):
        await spoilable.store.put("org_a", breaking())
    assert await spoilable.kept() == set()


async def test_a_put_that_is_cancelled_leaves_nothing(spoilable):
    reached = asyncio.Event()

    async def stalling():
        yield some_bytes(3 * BLOCK)
        yield some_bytes(9 * BLOCK)
        reached.set()
        await asyncio.Event().wait()

    putting = asyncio.create_task(spoilable.store.put("org_a", stalling()))
    await reached.wait()
    putting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await putting
    assert await spoilable.kept() == set()


async def test_what_is_not_there_is_missing(spoilable):
    with pytest.raises(BlobMissing):
        await spoilable.read("org_a", DIGEST)
    with pytest.raises(BlobMissing):
        await spoilable.read("org_a", DIGEST, BLOCK, 2 * BLOCK)
    assert await spoilable.store.stat("org_a", DIGEST) is None
    await spoilable.store.delete("org_a", DIGEST)


async def test_one_namespace_knows_nothing_of_another(spoilable):
    blob = await spoilable.put("org_a", b"of a")
    with pytest.raises(BlobMissing):
        await spoilable.read("org_b", blob.sha256)
    assert await spoilable.store.stat("org_b", blob.sha256) is None
    await spoilable.store.delete("org_b", blob.sha256)
    other = await spoilable.put("org_b", b"of b")
    await spoilable.put("org_ab", b"of ab")
    assert await spoilable.kept("org_a") == {("org_a", blob.sha256, 4)}
    assert {home for home, _, _ in await spoilable.kept()} == {"org_a", "org_b", "org_ab"}
    await spoilable.store.delete("org_b", other.sha256)
    assert await spoilable.read("org_a", blob.sha256) == b"of a"


async def test_what_was_deleted_is_gone(spoilable):
    blob = await spoilable.put("org_a", some_bytes(2 * BLOCK))
    await spoilable.store.delete("org_a", blob.sha256)
    assert await spoilable.store.stat("org_a", blob.sha256) is None
    assert await spoilable.kept() == set()


async def test_putting_the_same_at_once_keeps_one(spoilable):
    content = some_bytes(5 * BLOCK)
    blobs = await asyncio.gather(*(spoilable.put("org_a", content) for _ in range(8)))
    assert len(set(blobs)) == 1
    assert await spoilable.kept() == {("org_a", blobs[0].sha256, len(content))}
    assert await spoilable.read("org_a", blobs[0].sha256) == content


def flipped(position):
    return lambda stored: (
        stored[:position] + bytes([stored[position] ^ 1]) + stored[position:][1:]
        if position >= 0
        else flipped(len(stored) + position)(stored)
    )


SPOILS = {
    "first byte": flipped(0),
    "middle": lambda stored: flipped(len(stored) // 2)(stored),
    "last byte at rest": flipped(-1),
    "cut by one": lambda stored: stored[:-1],
    "cut to half": lambda stored: stored[: len(stored) // 2],
    "cut to a block": lambda stored: stored[:BLOCK] if len(stored) > BLOCK else stored[:1],
    "emptied": lambda _stored: b"",
    "one byte more": lambda stored: stored + b"\0",
    "other bytes": lambda stored: bytes(len(stored)),
}


@pytest.mark.parametrize("size", [100, BLOCK, 4 * BLOCK + 100])
@pytest.mark.parametrize("spoil", SPOILS)
async def test_no_spoiled_byte_is_given_out(spoilable, spoil, size):
    content = some_bytes(size)
    blob = await spoilable.put("org_a", content)
    spoilable.change("org_a", blob.sha256, SPOILS[spoil])
    given = b""
    with pytest.raises(BlobCorrupt):
        async for chunk in spoilable.store.get("org_a", blob.sha256):
            given += chunk
    assert content.startswith(given)


@pytest.mark.parametrize("size", [100, BLOCK, 4 * BLOCK + 100])
async def test_a_spoiled_byte_within_a_range_is_noticed(spoilable, size):
    content = some_bytes(size)
    blob = await spoilable.put("org_a", content)
    spoilable.change("org_a", blob.sha256, flipped(size - 5))
    with pytest.raises(BlobCorrupt):
        await spoilable.read("org_a", blob.sha256, size - 20, size - 10)


@pytest.mark.parametrize("earlier", [False, True], ids=["now", "earlier"])
async def test_a_byte_flipped_in_any_block_or_behind_them_is_never_read(spoilable, earlier):
    content = some_bytes(4 * BLOCK + 100)
    blob = await spoilable.put("org_a", content)
    if earlier:
        spoilable.change("org_a", blob.sha256, lambda _stored: stored_by_an_earlier_release(content))
    assert await spoilable.read("org_a", blob.sha256) == content
    for position in [*range(7, len(content), BLOCK), len(content), len(content) + 40, -33, -1]:
        spoilable.change("org_a", blob.sha256, flipped(position))
        given = b""
        with pytest.raises(BlobCorrupt):
            async for chunk in spoilable.store.get("org_a", blob.sha256):
                given += chunk
        assert content.startswith(given)
        with pytest.raises(BlobCorrupt):
            await spoilable.read("org_a", blob.sha256, max(position, 0) // BLOCK * BLOCK, len(content))
        spoilable.change("org_a", blob.sha256, flipped(position))
    assert await spoilable.read("org_a", blob.sha256, BLOCK - 1) == content[BLOCK - 1 :]


async def test_a_range_elsewhere_in_a_spoiled_blob_is_still_right(spoilable):
    content = some_bytes(4 * BLOCK)
    blob = await spoilable.put("org_a", content)
    spoilable.change("org_a", blob.sha256, flipped(3 * BLOCK + 1))
    assert await spoilable.read("org_a", blob.sha256, 10, 20) == content[10:20]


@pytest.mark.parametrize("size", [100, 4 * BLOCK])
@pytest.mark.parametrize("left", [0, 50])
async def test_a_blob_that_was_cut_short_is_never_read_as_a_shorter_one(spoilable, size, left):
    blob = await spoilable.put("org_a", some_bytes(size))
    spoilable.change("org_a", blob.sha256, lambda stored: stored[:left])
    with pytest.raises(BlobCorrupt):
        await spoilable.read("org_a", blob.sha256, 60, 70)
    with pytest.raises(BlobCorrupt):
        await spoilable.read("org_a", blob.sha256, size - 1, size)


async def test_another_blob_in_its_place_is_noticed(spoilable):
    blob, other = await spoilable.put("org_a", bytes(3 * BLOCK)), some_bytes(3 * BLOCK)
    taken = []
    other_blob = await spoilable.put("org_a", other)
    spoilable.change("org_a", other_blob.sha256, lambda stored: taken.append(stored) or stored)
    spoilable.change("org_a", blob.sha256, lambda _stored: taken[0])
    with pytest.raises(BlobCorrupt):
        await spoilable.read("org_a", blob.sha256)
    with pytest.raises(BlobCorrupt):
        await spoilable.read("org_a", blob.sha256, 5, 6)


@pytest.mark.parametrize("size", [100, 4 * BLOCK])
async def test_putting_it_again_heals_what_went_bad(spoilable, size):
    content = some_bytes(size)
    blob = await spoilable.put("org_a", content)
    spoilable.change("org_a", blob.sha256, flipped(7))
    await spoilable.put("org_a", content)
    assert await spoilable.read("org_a", blob.sha256) == content


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../a", "/etc", "a\0b", "a\n", ".incoming", "é", "a" * 129]
)
async def test_a_namespace_that_is_like_a_path_is_refused(spoilable, name):
    with pytest.raises(ValueError):
        await spoilable.put(name, b"x")
    for attempt in (
        spoilable.read(name, DIGEST),
        spoilable.store.stat(name, DIGEST),
        spoilable.store.delete(name, DIGEST),
        spoilable.kept(name),
    ):
        with pytest.raises(ValueError):
            await attempt


@pytest.mark.parametrize(
    "digest", ["", "..", "../" * 20 + "etc", DIGEST.upper(), DIGEST + "\n", DIGEST[1:], DIGEST + "0"]
)
async def test_a_digest_that_is_none_is_refused(spoilable, digest):
    for attempt in (
        spoilable.read("org_a", digest),
        spoilable.store.stat("org_a", digest),
        spoilable.store.delete("org_a", digest),
    ):
        with pytest.raises(ValueError):
            await attempt


async def test_who_stops_reading_half_way_holds_nothing_open(spoilable):
    blob = await spoilable.put("org_a", some_bytes(9 * BLOCK))
    chunks = spoilable.store.get("org_a", blob.sha256)
    await anext(chunks)
    await chunks.aclose()
    with pytest.raises(StopAsyncIteration):
        await anext(chunks)


async def test_blobs_come_in_order_from_any_of_them_on(spoilable):
    """Whatever the order of their names in the store is: `a-b/` comes before `a/`."""
    addresses = []
    for namespace in ("a", "a-b", "b"):
        for number in range(4):
            blob = await spoilable.put(namespace, str(number).encode())
            addresses.append((namespace, blob.sha256))
    addresses.sort()
    for first, after in enumerate([("", ""), *addresses]):
        found = [(blob.namespace, blob.sha256) async for blob in spoilable.store.list_after(*after)]
        assert found == addresses[first:]
    between = [blob.namespace async for blob in spoilable.store.list_after("a", "z")]
    assert between == ["a-b"] * 4 + ["b"] * 4
