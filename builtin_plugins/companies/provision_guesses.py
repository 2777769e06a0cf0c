"""Wrong provisioning tokens, counted in the database: every process of an instance counts together.

The kernel's migration 0012 made the table.
"""

from pathlib import Path

from guildhall_sdk import Actor, Call, Reader, TooManyRequests, load_queries, new_id
from libs.addresses import address_key

_sql = load_queries(Path(__file__).with_name("provision_guesses.sql"))

FAILURE_WINDOW_MS = 15 * 60 * 1000
FAILURES_PER_ADDRESS = 10
_SWEPT_PER_FAILURE = 100


class CountedGuesses:
    """Implements the SDK's `ProvisionGuesses`."""

    async def check(self, call: Call) -> None:
        async with call.read() as reader:
            await _refuse_too_many(reader, address_key(call.address), call.now_ms)

    async def record(self, call: Call) -> None:
        """Counts a wrong token; of many at once no more than the limit are told that they are wrong."""
        address, now = address_key(call.address), call.now_ms
        async with call.write(Actor("unknown", request_id=call.request_id)) as writer:
            await writer.serialize(f"provision-address:{address}")
            await _refuse_too_many(writer, address, now)
            await writer.run(_sql.sweep_failures, floor=now - FAILURE_WINDOW_MS, max_rows=_SWEPT_PER_FAILURE)
            await writer.run(_sql.insert_failure, id=new_id("pf", now), address=address, now=now)
            writer.audit("provision.refused", detail={"address": address})

    async def clear(self, call: Call) -> None:
        """Clears the count of an address after the right token, unless the limit was reached before."""
        address = address_key(call.address)
        async with call.read() as reader:
            if await reader.one(_sql.any_failure, address=address) is None:
                return
        async with call.write() as writer:
            await writer.serialize(f"provision-address:{address}")
            await _refuse_too_many(writer, address, call.now_ms)
            await writer.run(_sql.clear_failures, address=address)


async def _refuse_too_many(reader: Reader, address: str, now_ms: int) -> None:
    filled_at = await reader.value(
        _sql.nth_failure, address=address, floor=now_ms - FAILURE_WINDOW_MS, nth=FAILURES_PER_ADDRESS - 1
    )
    if filled_at is not None:
        seconds = max(1, -(-(filled_at + FAILURE_WINDOW_MS - now_ms) // 1000))
        raise TooManyRequests(
            f"Too many wrong provisioning tokens; try again in {seconds} s.",
            headers={"Retry-After": str(seconds)},
        )
