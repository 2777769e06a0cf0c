"""Argon2id, off the event loop and never more than a few at once: each takes 19 MiB."""

import asyncio
import os
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from functools import partial

ITERATIONS = 2
LANES = 1
MEMORY_KIB = 19 * 1024

# The hash of 32 random bytes that were thrown away: what an unknown user's password is compared with.
_NOBODY = "$argon2id$v=19$m={},t=2,p=1$GIXYuAp7esJJQEYOLEX4+g$MkNuiSz7bwJP0DxBAC8xur3vI1sP+3kFit0qbOdFINI"


class Argon2Hasher:
    """Hashes and compares on threads of its own; `close` ends them."""

    def __init__(self, memory_kib: int = MEMORY_KIB) -> None:
        self._memory_kib = memory_kib
        self._nobody = _NOBODY.format(memory_kib)
        threads = min(4, max(2, os.cpu_count() or 2))
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="argon2")

    @property
    def kdf(self) -> str:
        """How it hashes, for people."""
        return f"argon2id(m={self._memory_kib},t={ITERATIONS},p={LANES})"

    async def hash(self, password: str) -> str:
        hashing = partial(derive, password, memory_kib=self._memory_kib)
        return await asyncio.get_running_loop().run_in_executor(self._threads, hashing)

    async def verify(self, password: str, stored: str | None) -> bool:
        """Compares a password with its hash; where there is none, it takes as long and is wrong."""
        right = await asyncio.get_running_loop().run_in_executor(
            self._threads, matches, password, stored or self._nobody
        )
        return right and stored is not None

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def derive(password: str, *, memory_kib: int = MEMORY_KIB) -> str:
    """Hashes a password to a PHC string, which carries its own salt and costs."""
    # Imported at the first use: the server starts without it.
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    argon2 = Argon2id(
        salt=os.urandom(16), length=32, iterations=ITERATIONS, lanes=LANES, memory_cost=memory_kib
    )
    return argon2.derive_phc_encoded(_bytes_of(password))


def matches(password: str, stored: str) -> bool:
    from cryptography.exceptions import InvalidKey
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    try:
        Argon2id.verify_phc_encoded(_bytes_of(password), stored)
    except InvalidKey:
        return False
    return True


def _bytes_of(password: str) -> bytes:
    """Normalizes a password, so that it is one however a keyboard composes it."""
    return unicodedata.normalize("NFKC", password).encode()
