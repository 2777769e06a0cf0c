"""Argon2id: what is stored, what it is compared with, and what it costs."""

import re

import pytest

import libs.passwords as module
from libs.passwords import Argon2Hasher


@pytest.fixture
def passwords():
    service = Argon2Hasher()
    yield service
    service.close()


async def test_a_password_is_kept_as_argon2id_with_its_costs(passwords):
    stored = await passwords.hash("correct horse battery")
    assert re.fullmatch(r"\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}", stored)
    assert stored != await passwords.hash("correct horse battery")
    assert await passwords.verify("correct horse battery", stored)
    assert not await passwords.verify("correct horse batterz", stored)


async def test_one_password_however_it_is_composed(passwords):
    stored = await passwords.hash("cafe\u0301 \ufb01ne \u2126hm!")
    assert await passwords.verify("caf\u00e9 fine \u03a9hm!", stored)


async def test_nobody_and_a_broken_hash_refuse_everything(passwords):
    assert not await passwords.verify("correct horse battery", None)
    assert not await passwords.verify("correct horse battery", "not a hash")


async def test_nobody_costs_one_verification_of_the_usual_costs(passwords, monkeypatch):
    seen = []

    def counted(password: str, stored: str) -> bool:
        seen.append(stored.rsplit("$", 2)[0])
        return True

    monkeypatch.setattr(module, "matches", counted)
    stored = module.derive("correct horse battery")
    assert await passwords.verify("x", stored)
    assert not await passwords.verify("x", None)
    assert seen == ["$argon2id$v=19$m=19456,t=2,p=1"] * 2
