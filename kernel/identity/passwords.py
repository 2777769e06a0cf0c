"""Passwords: hashed by Argon2id, and accepted by whoever decides about them."""

from collections.abc import Awaitable, Callable

from guildhall_sdk import InvalidRequest
from kernel.logs import get_logger
from libs.passwords import MEMORY_KIB, Argon2Hasher

_log = get_logger("identity")
DecidePassword = Callable[[str, str], Awaitable[str | None]]


class Argon2Passwords(Argon2Hasher):
    """Implements the SDK's `Passwords`. `decide` asks the `decide_password` hooks."""

    def __init__(self, decide: DecidePassword, *, memory_kib: int = MEMORY_KIB) -> None:
        super().__init__(memory_kib)
        self._decide = decide

    async def check_policy(self, username: str, password: str, *, pointer: str = "/password") -> None:
        try:
            reason = await self._decide(username, password)
        except Exception as error:  # a check that fails denies; its text might hold the password
            _log.error("password.check_failed", error=type(error).__name__)
            reason = "cannot be judged just now, so it is not accepted; try again later"
        if reason is not None:
            raise InvalidRequest.at(pointer, reason)
