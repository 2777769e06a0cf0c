"""A stock that is on its way: reserved, grown, and counted for what it is when it lands."""

import asyncio

import pytest

from guildhall_sdk import TooManyRequests

pytestmark = pytest.mark.any_database

STOCK = "test.bytes"


async def extend(books, reservation, by, ttl_ms=60_000):
    async with books.process.data.write() as writer:
        return await books.ledger.extend(writer, reservation, ttl_ms, {STOCK: by})


async def land(books, reservation, size, *, team_id=None):
    async with books.process.data.write() as writer:
        await books.ledger.adjust(
            writer, books.org_id, team_id or books.team_id, STOCK, size, instead_of=reservation
        )


async def left(books, team_id=None):
    async with books.process.data.write() as writer:
        return await books.ledger.left(writer, books.org_id, team_id or books.team_id, STOCK)


async def test_what_is_reserved_leaves_no_room_for_others_until_it_ends(books):
    await books.limit(STOCK, "none", 100)
    reservation = await books.reserve({STOCK: 80})
    assert (await books.used(STOCK), await left(books)) == (80, 20)
    with pytest.raises(TooManyRequests):
        await books.adjust(21)
    await land(books, reservation, 30)
    assert (await books.used(STOCK), await left(books)) == (30, 70)
    await books.release(await books.reserve({STOCK: 70}))
    assert await left(books) == 70


async def test_the_room_left_is_the_smaller_of_the_teams_and_the_companys(books):
    assert await left(books) is None
    await books.limit(STOCK, "none", 50, level="org")
    await books.limit(STOCK, "none", 100)
    await books.adjust(30, team_id=books.second_team_id)
    assert await left(books) == 20
    await books.limit(STOCK, "none", 10)
    assert await left(books) == 10


async def test_asking_whether_there_is_room_takes_none(books):
    await books.limit(STOCK, "none", 100)

    async def ask(amount):
        async with books.process.data.read() as reader:
            await books.ledger.check_capacity(reader, books.org_id, books.team_id, STOCK, amount)

    await books.reserve({STOCK: 60}, ttl_ms=1000)
    await ask(40)
    await ask(40)
    with pytest.raises(TooManyRequests):
        await ask(41)
    books.clock.advance(seconds=1)
    await ask(100)
    assert await books.used(STOCK) == 0


async def test_what_lands_larger_than_reserved_is_judged_anew(books):
    await books.limit(STOCK, "none", 100)
    reservation = await books.reserve({STOCK: 40})
    await books.adjust(50)
    with pytest.raises(TooManyRequests):
        await land(books, reservation, 51)
    assert await books.used(STOCK) == 90
    await land(books, reservation, 50)
    assert await books.used(STOCK) == 100


async def test_what_lands_after_its_reservation_has_lapsed_is_judged_anew(books):
    await books.limit(STOCK, "none", 100)
    reservation = await books.reserve({STOCK: 60}, ttl_ms=1000)
    books.clock.advance(seconds=1)
    assert not await extend(books, reservation, 1)
    await books.adjust(60)
    with pytest.raises(TooManyRequests):
        await land(books, reservation, 60)
    await land(books, reservation, 40)
    await land(books, reservation, 0)
    assert await books.used(STOCK) == await books.used(STOCK, level="org") == 100


async def test_a_reservation_grows_while_there_is_room(books):
    await books.limit(STOCK, "none", 100)
    reservation = await books.reserve({STOCK: 40}, ttl_ms=1000)
    assert await extend(books, reservation, 60)
    with pytest.raises(TooManyRequests):
        await extend(books, reservation, 1)
    books.clock.advance(seconds=50)
    assert await books.used(STOCK) == 100
    await books.release(reservation)
    assert await books.used(STOCK) == 0


async def test_a_refused_landing_that_is_committed_all_the_same_leaves_the_reservation(books):
    await books.limit(STOCK, "none", 100)
    reservation = await books.reserve({STOCK: 60})
    async with books.process.data.write() as writer:
        with pytest.raises(TooManyRequests):
            await books.ledger.adjust(writer, books.org_id, books.team_id, STOCK, 101, instead_of=reservation)
    assert await books.used(STOCK) == 60
    await books.release(reservation)
    assert await books.used(STOCK) == 0


async def test_only_stocks_grow_and_only_by_their_own_reservation(books):
    calls = await books.reserve({"test.calls": 1})
    for more in ({"test.calls": 1}, {STOCK: 1}, {STOCK: -1}):
        async with books.process.data.write() as writer:
            with pytest.raises(ValueError, match=next(iter(more))):
                await books.ledger.extend(writer, calls, 1000, more)
    with pytest.raises(ValueError, match="reserved too"):
        await land(books, calls, 1)
    stock = await books.reserve({STOCK: 1})
    with pytest.raises(ValueError, match="another team"):
        await land(books, stock, 1, team_id=books.second_team_id)
    with pytest.raises(ValueError, match="not a stock"):
        async with books.process.data.write() as writer:
            await books.ledger.left(writer, books.org_id, books.team_id, "test.calls")


@pytest.mark.every_database
async def test_many_that_reserve_grow_and_land_never_pass_the_companys_limit(books, secret_key):
    """Two processes, two teams: whatever came to its end fits, and what is counted is what came."""
    await books.limit(STOCK, "none", 100, level="org")
    most = 0

    async def upload(at, team_id):
        nonlocal most
        try:
            reservation = await at.reserve({STOCK: 5}, team_id=team_id)
            try:
                await extend(at, reservation, 5)
                most = max(most, await at.used(STOCK, level="org", team_id=team_id))
                await land(at, reservation, 7, team_id=team_id)
            except BaseException:
                await at.release(reservation)
                raise
        except TooManyRequests:
            return 0
        return 7

    async with books.process.sibling(secret_key) as other:
        pairs = [(books, books.team_id), (books.on(other), books.second_team_id)]
        landed = sum(await asyncio.gather(*(upload(at, team_id) for at, team_id in pairs * 16)))
    assert most <= 100
    assert await books.used(STOCK, level="org") == landed <= 100
    if landed + 10 <= 100:
        assert await upload(books, books.team_id) == 7
