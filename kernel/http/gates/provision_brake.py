"""Wrong provisioning tokens, counted in the database: every process of an instance counts together."""

from pathlib import Path

from guildhall_sdk import Actor, Reader, TooManyRequests, load_queries, new_id
from guildhall_sdk.addresses import address_key
from kernel.http.context import Context

_sql = load_queries(Path(__file__).with_name("provision_brake.sql"))

WINDOW_MS = 15 * 60 * 1000
PER_ADDRESS = 10
_SWEPT_PER_FAILURE = 100


async def check(ctx: Context) -> None:
    """Raises `TooManyRequests` while the address is braked, whatever token it shows."""
    async with ctx.read() as reader:
        await _check(reader, address_key(ctx.address), ctx.now_ms)


async def record_failure(ctx: Context) -> None:
    """Of many wrong tokens at once no more than the limit are told that they are wrong."""
    address, now = address_key(ctx.address), ctx.now_ms
    async with ctx.write(Actor("unknown", request_id=ctx.request_id)) as writer:
        await writer.serialize(f"provision-address:{address}")
        await _check(writer, address, now)
        await writer.run(_sql.sweep_failures, floor=now - WINDOW_MS, most=_SWEPT_PER_FAILURE)
        await writer.run(_sql.insert_failure, id=new_id("pf", now), address=address, now=now)
        writer.audit("provision.refused", detail={"address": address})


async def forgive(ctx: Context) -> None:
    """The right token clears the count of its address, unless the brake came first."""
    address = address_key(ctx.address)
    async with ctx.read() as reader:
        if await reader.one(_sql.any_failure, address=address) is None:
            return
    async with ctx.write() as writer:
        await writer.serialize(f"provision-address:{address}")
        await _check(writer, address, ctx.now_ms)
        await writer.run(_sql.clear_failures, address=address)


async def _check(reader: Reader, address: str, now_ms: int) -> None:
    filled_at = await reader.value(
        _sql.nth_failure, address=address, floor=now_ms - WINDOW_MS, nth=PER_ADDRESS - 1
    )
    if filled_at is not None:
        seconds = max(1, -(-(filled_at + WINDOW_MS - now_ms) // 1000))
        raise TooManyRequests(
            f"Too many wrong provisioning tokens; try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )
