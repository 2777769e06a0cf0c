"""The policy of passwords."""

import pytest

from guildhall_sdk import InvalidRequest
from kernel.identity.passwords import Argon2Passwords


async def test_a_reason_refuses_at_the_place_it_is_about():
    async def refuse(username: str, password: str) -> str | None:
        return f"too like {username}"

    with pytest.raises(InvalidRequest) as refusal:
        await Argon2Passwords(refuse).check_policy("ada", "secret word", pointer="/new_password")
    assert refusal.value.errors == ({"pointer": "/new_password", "message": "too like ada"},)


async def test_a_check_that_fails_denies_and_tells_nothing(caplog):
    async def broken(username: str, password: str) -> str | None:
        raise ValueError(f"cannot judge {password}")

    with pytest.raises(InvalidRequest) as refusal:
        await Argon2Passwords(broken).check_policy("ada", "canary-password")
    assert "canary-password" not in str(refusal.value) + caplog.text
