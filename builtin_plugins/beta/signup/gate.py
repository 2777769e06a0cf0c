"""The gate: how many sign-ups an address and its subnet have brought in the last hour, and what that costs.

Counted are sign-ups that were taken, in the database, so that all server processes count together. Addresses
are hashed with a key of the instance before they are stored, and forgotten when they count no more.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import logging
from pathlib import Path
from typing import NamedTuple

from guildhall_sdk import Host, Reader, TooManyRequests, Unavailable, Writer, load_queries
from guildhall_sdk.services.identity import Vault
from libs.addresses import address_key, parse_address

sql = load_queries(Path(__file__).with_name("queries.sql"))

WINDOW_MS = 3600 * 1000
PER_ADDRESS = 20
PER_SUBNET = 100
EASIEST, HARDEST = 16, 22
PURPOSE = "beta.addresses"
_SWEPT_PER_SIGNUP = 100


class Origin(NamedTuple):
    """Where a visitor comes from, as keyed hashes: the address, in IPv6 its /64, and the subnet around it."""

    address: str
    subnet: str

    @classmethod
    def of(cls, vault: Vault, address: str) -> "Origin":
        key = vault.derive(PURPOSE)
        return cls(
            _hashed(key, f"address|{address_key(address)}"), _hashed(key, f"subnet|{_subnet(address)}")
        )


def _hashed(key: bytes, text: str) -> str:
    return hmac.digest(key, text.encode(), hashlib.sha256).hex()[:32]


def _subnet(address: str) -> str:
    """Returns the network that one customer of a provider may have all of: a /24, in IPv6 a /48."""
    parsed = parse_address(address)
    if parsed is None:
        return address
    bits = 24 if isinstance(parsed, ipaddress.IPv4Address) else 48
    return str(ipaddress.ip_network((parsed, bits), strict=False))


async def difficulty_for(reader: Reader, origin: Origin, now_ms: int) -> int:
    """Returns the zero bits to ask of a visitor: one more for every three sign-ups of the last hour."""
    counts = await reader.one(
        sql.count_arrivals,
        address=origin.address,
        subnet=origin.subnet,
        floor=now_ms - WINDOW_MS,
        of_address=PER_ADDRESS,
        of_subnet=PER_SUBNET,
    )
    assert counts is not None
    added = max(_bits(counts["of_address"], PER_ADDRESS), _bits(counts["of_subnet"], PER_SUBNET))
    return EASIEST + added


def _bits(count: int, limit: int) -> int:
    """Returns how many bits so many sign-ups add: all of them shortly before the limit."""
    return min(HARDEST - EASIEST, (HARDEST - EASIEST) * count // (limit - 2))


async def hold(writer: Writer, origin: Origin) -> None:
    """Locks the counts of the subnet, and of the addresses in it, until the write ends."""
    await writer.serialize(f"beta-gate:{origin.subnet}")


async def spend_nonce(writer: Writer, origin: Origin, nonce: str, now_ms: int) -> bool:
    """Records a sign-up with its nonce; returns False where the nonce was used before."""
    await sweep(writer, now_ms, _SWEPT_PER_SIGNUP)
    spent = await writer.one(
        sql.insert_arrival, nonce=nonce, address=origin.address, subnet=origin.subnet, now=now_ms
    )
    return spent is not None


async def check(writer: Writer, origin: Origin, now_ms: int) -> None:
    """Raises `TooManyRequests` where this sign-up, which is recorded already, is one too many."""
    row = await writer.one(
        sql.nth_arrivals,
        address=origin.address,
        subnet=origin.subnet,
        floor=now_ms - WINDOW_MS,
        of_address=PER_ADDRESS,
        of_subnet=PER_SUBNET,
    )
    assert row is not None
    filled = [at for at in (row["of_address"], row["of_subnet"]) if at is not None]
    if filled:
        seconds = max(1, -(-(max(filled) + WINDOW_MS - now_ms) // 1000))
        minutes = -(-seconds // 60)
        raise TooManyRequests(
            f"Too many sign-ups from your network within an hour; try again in {minutes} min.",
            headers={"Retry-After": str(seconds)},
        )


async def sweep(writer: Writer, now_ms: int, max_rows: int) -> int:
    """Forgets sign-ups that count no more; their nonces ended long before. Returns how many."""
    rows = await writer.all(sql.sweep_arrivals, floor=now_ms - WINDOW_MS, max_rows=max_rows)
    return len(rows)


EVERY_SECONDS = 3600.0
_ROWS = 500
_log = logging.getLogger("guildhall.beta")


class Forgetting:
    """Sweeps at the start and every hour; any process may, as what is gone is gone."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def run(self) -> None:
        """Sweeps until it is cancelled."""
        while True:
            try:
                await self.sweep()
            except Unavailable:
                _log.info("arrivals.put_off", extra={"fields": {}})
            await asyncio.sleep(EVERY_SECONDS)

    async def sweep(self) -> None:
        """Forgets what is due, some at a time."""
        now = self._host.clock.now_ms()
        while await self._forget_some(now) == _ROWS:
            pass

    async def _forget_some(self, now_ms: int) -> int:
        async with self._host.data.write() as writer:
            return await sweep(writer, now_ms, _ROWS)
