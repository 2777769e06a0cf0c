"""Bytes are refused as early as they can be, and what is on its way counts."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from builtin_plugins.repo import storage_reservations
from guildhall_sdk import Statement
from guildhall_sdk.blobs import BlobStore
from guildhall_testing.raw import RawAnswer, request_bytes
from libs import request_body

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

KIB, MIB = 1024, 1024 * 1024
STORAGE = "storage.bytes"


@pytest.fixture(autouse=True)
def answered_at_once(monkeypatch):
    """A refused body that does not come is not waited for."""
    monkeypatch.setattr(request_body, "SKIM_SECONDS", 0.05)


@pytest.fixture(autouse=True)
def reserved(monkeypatch):
    """What is not small is reserved, so that the tests need send no more than a MiB."""
    monkeypatch.setattr(storage_reservations, "MEDIUM_BYTES", storage_reservations.SMALL_BYTES)


def refused(answer):
    return answer.status, answer.json().get("code"), answer.json().get("dimension")


OVER_QUOTA = (429, "quota_exceeded", STORAGE)


@pytest.mark.parametrize("company", [False, True])
@pytest.mark.parametrize("length", [MIB + 1, 5 * 1024 * MIB])
async def test_a_length_beyond_what_is_left_is_refused_before_a_byte_of_it_is_sent(
    hall, sending, limit, used_bytes, kept, length, company
):
    await limit(MIB, company)
    async with sending(hall.acme.member, "large", length) as upload:
        answer = await upload.answer()
    assert refused(answer) == OVER_QUOTA
    assert (answer.json()["limit"], answer.json()["used"]) == (MIB, 0)
    assert await used_bytes(hall.acme.member) == 0
    assert await kept(hall.acme) == set()


@pytest.mark.every_database
async def test_four_at_once_under_a_small_limit_take_no_more_of_the_disk_than_it(
    hall, sending, limit, staged, kept, until
):
    """None of them says how long it is; each would send 16 MiB."""
    await limit(MIB)
    peak, sent = 0, 0

    async def upload(number):
        nonlocal peak, sent
        async with sending(hall.acme.member, f"stream{number}") as one:
            for _ in range(256):
                if one.answered():
                    break
                try:
                    await one.send_chunk(b"x" * 64 * KIB)
                except ConnectionError:
                    break
                sent += 64 * KIB
                peak = max(peak, staged())
            return await one.answer()

    answers = await asyncio.gather(*(upload(number) for number in range(4)))
    assert {refused(answer) for answer in answers} <= {OVER_QUOTA, (0, None, None)}
    assert peak <= 2 * MIB, (peak, sent)
    await until(lambda used: used == 0)
    assert await kept(hall.acme) == set()
    assert staged() == 0


@pytest.mark.every_database
async def test_what_is_on_its_way_counts(hall, sending, limit, used_bytes, until):
    await limit(MIB)
    author, size = hall.acme.member, 700 * KIB
    async with sending(author, "first", size) as first:
        await first.send(b"x" * 300 * KIB)
        await until(lambda used: used > 0)
        assert await used_bytes(author) == size
        response = await author.put("/api/repo/second", content=b"y" * size)
        assert (response.status_code, response.json()["code"]) == (429, "quota_exceeded")
        assert (await author.put("/api/repo/small", content=b"y" * 100 * KIB)).status_code == 201
        await first.send(b"x" * 400 * KIB)
        assert (await first.answer()).status == 201
    assert await used_bytes(author) == 800 * KIB


async def test_what_is_given_up_in_the_middle_gives_its_room_back(hall, sending, limit, until, staged):
    await limit(MIB)
    for length in (700 * KIB, None):
        async with sending(hall.acme.member, "given-up", length) as upload:
            data = b"x" * 400 * KIB
            await (upload.send(data) if length else upload.send_chunk(data))
            await until(lambda used: used > 0)
            await upload.hang_up()
        await until(lambda used: used == 0)
        assert staged() == 0
    assert (await hall.acme.member.put("/api/repo/k", content=b"x" * MIB)).status_code == 201


@pytest.mark.every_database
async def test_what_a_dead_process_had_reserved_lapses(hall, sending, limit, used_bytes, until, monkeypatch):
    gone = asyncio.Event()

    async def killed(_room):
        gone.set()

    await limit(MIB)
    monkeypatch.setattr(storage_reservations.UploadReservation, "give_back", killed)
    async with sending(hall.acme.member, "lost", 700 * KIB) as upload:
        await upload.send(b"x")
        await until(lambda used: used > 0)
        await upload.hang_up()
    await asyncio.wait_for(gone.wait(), 60)
    monkeypatch.undo()
    body = b"x" * MIB
    assert (await hall.acme.member.put("/api/repo/k", content=body)).status_code == 429
    hall.clock.advance(milliseconds=storage_reservations.TTL_MS)
    assert await used_bytes(hall.acme.member) == 0
    assert (await hall.acme.member.put("/api/repo/k", content=body)).status_code == 201
    assert await used_bytes(hall.acme.member) == MIB


@pytest.mark.parametrize("announced", [True, False])
@pytest.mark.own_server  # it reads what is reserved in all companies
async def test_a_slow_upload_keeps_what_it_has_reserved(hall, sending, limit, used_bytes, announced):
    holds = Statement("holds", *["SELECT MIN(expires_at) AS ends FROM quota_holds"] * 2)

    async def renewed():
        async with asyncio.timeout(60):
            while True:
                async with hall.server.data.read() as reader:
                    ends = await reader.value(holds)
                if ends is not None and ends > hall.clock.now_ms() + storage_reservations.TTL_MS // 2:
                    return

    await limit(MIB)
    author, piece = hall.acme.member, b"x" * 100 * KIB
    async with sending(author, "slow", 8 * len(piece) if announced else None) as upload:
        for number in range(1, 8):
            await (upload.send(piece) if announced else upload.send_chunk(piece))
            await renewed()
            hall.clock.advance(seconds=35)
            # The first of a stream are taken without asking.
            assert await used_bytes(author) >= number * len(piece) - 64 * KIB
        if announced:
            await upload.send(piece)
        else:
            await upload.send_chunk(piece)
            await upload.send(b"0\r\n\r\n")
        assert (await upload.answer()).status == 201
    assert await used_bytes(author) == 8 * len(piece)


async def test_a_stream_without_a_length_may_fill_what_is_left_to_the_last_byte(
    hall, sending, limit, used_bytes
):
    await limit(MIB)
    for size, status in ((MIB - 10, 201), (11, 429), (10, 201), (1, 429), (0, 201)):
        async with sending(hall.acme.member, f"k{size}") as upload:
            for start in range(0, size, 50_000):
                await upload.send_chunk(b"x" * min(50_000, size - start))
            await upload.send(b"0\r\n\r\n")
            assert (await upload.answer()).status == status, size
    assert await used_bytes(hall.acme.member) == MIB


async def test_one_of_medium_length_is_asked_about_and_not_reserved(
    hall, sending, limit, used_bytes, monkeypatch
):
    monkeypatch.setattr(storage_reservations, "MEDIUM_BYTES", MIB)
    await limit(MIB)
    author, size = hall.acme.member, 700 * KIB
    async with sending(author, "first", size) as first, sending(author, "second", size) as second:
        for upload in (first, second):
            await upload.send(b"x" * size)
        answers = [await upload.answer() for upload in (first, second)]
    assert sorted(answer.status for answer in answers) == [201, 429]
    assert await used_bytes(author) == size
    async with sending(author, "third", size) as third:
        assert refused(await third.answer()) == OVER_QUOTA


@pytest.mark.every_database
async def test_many_small_ones_at_once_are_bounded_too(hall, sending, limit, repository, monkeypatch):
    """Few enough are taken without asking; those beyond are asked for before a byte of them is taken."""
    await limit(10)
    monkeypatch.setattr(storage_reservations, "UNRESERVED", 100 * KIB)
    unreserved = repository.blobs._reservations._unreserved
    async with AsyncExitStack() as stack:
        for number in range(2):
            upload = await stack.enter_async_context(sending(hall.acme.member, f"k{number}", 50 * KIB))
            await upload.send(b"x")
            async with asyncio.timeout(60):
                while unreserved[hall.acme.org_id] < (number + 1) * 50 * KIB:
                    await hall.acme.member.get("/api/whoami")
        third = await stack.enter_async_context(sending(hall.acme.member, "third", 50 * KIB))
        assert refused(await third.answer()) == OVER_QUOTA


async def test_what_small_ones_took_is_free_again_however_they_ended(hall, limit, upload, monkeypatch):
    monkeypatch.setattr(storage_reservations, "UNRESERVED", 50 * KIB)
    body = b"x" * 50 * KIB
    await limit(60 * KIB)
    await upload(hall.acme.member, "a", body)
    for _ in range(3):
        response = await hall.acme.member.put("/api/repo/b", content=body)
        assert (response.status_code, response.json()["used"]) == (429, 50 * KIB)
    await limit(200 * KIB)
    for key in ("b", "c"):
        await upload(hall.acme.member, key, body)


@pytest.mark.every_database
async def test_thirty_two_at_once_never_pass_the_limit(hall, limit, used_bytes):
    await limit(MIB, company=True)
    size = 100 * KIB
    callers = [hall.acme.member, hall.acme.second_team.member] * 16

    async def put(number, client):
        response = await client.put(f"/api/repo/k{number}", content=bytes([number]) * size)
        assert response.status_code in (201, 429), response.text
        return response.status_code

    statuses = await asyncio.gather(*(put(number, client) for number, client in enumerate(callers)))
    used = await used_bytes(hall.acme.member) + await used_bytes(hall.acme.second_team.member)
    assert used == statuses.count(201) * size <= MIB
    assert statuses.count(201) >= 1


async def test_who_waits_to_be_told_to_go_on_is_refused_without_that(hall, sending, limit, used_bytes):
    await limit(MIB)
    async with sending(hall.acme.member, "k", 2 * MIB, Expect="100-continue") as upload:
        assert refused(await upload.answer()) == OVER_QUOTA
    async with sending(hall.acme.member, "k", 100 * KIB, Expect="100-continue") as upload:
        assert await upload.interim() == b"HTTP/1.1 100 Continue\r\n\r\n"
        await upload.send(b"x" * 100 * KIB)
        assert (await upload.answer()).status == 201
    async with sending(hall.acme.member, "k", 10, Expect="100-continue", Authorization="none") as upload:
        assert (await upload.answer()).status == 401
    assert await used_bytes(hall.acme.member) == 100 * KIB


async def test_who_announces_more_than_comes_leaves_nothing(hall, limit, until, kept, staged):
    await limit(MIB)
    head = request_bytes(
        "PUT", "/api/repo/k", token=hall.acme.member.token, headers={"Content-Length": str(MIB)}
    )
    answer = RawAnswer.parse(await hall.raw(head + b"x" * 100 * KIB, half_close=True))
    assert answer.status in (0, 400)
    await until(lambda used: used == 0)
    assert await kept(hall.acme) == set()
    assert staged() == 0


@pytest.mark.parametrize(
    ("length", "status"),
    [("-1", 400), ("+5", 400), ("9" * 30, 413), ("9" * 5000, 413), ("5e3", 400), ("", 400)],
)
async def test_a_length_that_is_none_is_refused(hall, sending, limit, used_bytes, length, status):
    await limit(MIB)
    async with sending(hall.acme.member, "k", length) as upload:
        assert (await upload.answer()).status in (status, 400)
    assert await used_bytes(hall.acme.member) == 0


async def test_nothing_can_be_kept_where_there_is_no_room(hall, sending, limit, upload):
    await limit(0)
    assert (await upload(hall.acme.member, "empty", b""))["size"] == 0
    assert (await hall.acme.member.put("/api/repo/k", content=b"x")).status_code == 429


async def test_a_length_that_the_disk_has_no_room_for_is_refused_before_the_body(
    hall, sending, used_bytes, monkeypatch
):
    async def free_bytes():
        return MIB

    monkeypatch.setattr(hall.server.service(BlobStore), "free_bytes", free_bytes)
    async with sending(hall.acme.member, "k", MIB + 1) as upload:
        answer = await upload.answer()
    assert (answer.status, answer.json()["code"]) == (503, "storage_unavailable")
    assert await used_bytes(hall.acme.member) == 0
    async with sending(hall.acme.member, "k", MIB) as upload:
        await upload.send(b"x" * MIB)
        assert (await upload.answer()).status == 201


async def test_a_document_beyond_what_is_left_leaves_nothing(hall, limit, used_bytes, kept):
    await limit(100 * KIB)
    author = hall.acme.member
    for body in ("x" * 200 * KIB, "x" * (100 * KIB + 1)):
        response = await author.post("/api/documents", {"title": "Long", "body": body})
        assert (response.status_code, response.json()["code"]) == (429, "quota_exceeded")
    made = (await author.post("/api/documents", {"title": "Fits", "body": "x" * 100 * KIB})).json()
    response = await author.put(f"/api/documents/{made['id']}", {"body": "y" * 90 * KIB})
    assert response.status_code == 429
    assert await used_bytes(author) == 100 * KIB
    assert await kept(hall.acme) == {made["sha256"]}
