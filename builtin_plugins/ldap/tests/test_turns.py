"""Directories that do not answer: they hold up their own company, and nobody else."""

import asyncio
import threading

import pytest

from builtin_plugins.ldap import kind
from guildhall_sdk.errors import Unavailable
from guildhall_sdk.services.sign_in import SignInWay

pytestmark = pytest.mark.any_database


def way_of(org_id, number=0):
    return SignInWay(id=f"way_{org_id}_{number}", kind="ldap", org_id=org_id, settings={})


async def test_a_slow_directory_holds_up_its_own_company_alone(monkeypatch):
    begun, answers = threading.Semaphore(0), threading.Event()

    def hang():
        begun.release()
        assert threading.current_thread().name.startswith("ldap")
        return answers.wait(60)

    slow = [asyncio.create_task(kind._in_turn(way_of("slow", n), hang)) for n in range(kind.AT_ONCE)]
    for _ in slow:
        assert await asyncio.to_thread(begun.acquire, timeout=60)
    monkeypatch.setattr(kind, "WAIT_SECONDS", 0)
    with pytest.raises(Unavailable):  # whichever of its directories is asked
        await kind._in_turn(way_of("slow", 99), hang)
    slow[0].cancel()
    await asyncio.wait([slow[0]])
    with pytest.raises(Unavailable):  # whoever goes away leaves the thread behind
        await kind._in_turn(way_of("slow"), hang)
    monkeypatch.setattr(kind, "WAIT_SECONDS", 30)
    assert await kind._in_turn(way_of("quick"), lambda: "answered") == "answered"
    answers.set()
    assert await asyncio.gather(*slow[1:]) == [True] * (kind.AT_ONCE - 1)
    assert await kind._in_turn(way_of("slow"), lambda: "answered") == "answered"
