"""Sealed text: it opens by its key, in its place, as it was."""

import base64
import os

import pytest

from libs.sealing import SealBroken, derive_key, new_key, seal, unseal


def test_what_was_sealed_opens_in_its_place():
    key = new_key()
    assert unseal(key, seal(key, b"secret", "a", "b"), "a", "b") == b"secret"
    with pytest.raises(SealBroken, match="a/c"):
        unseal(key, seal(key, b"secret", "a", "b"), "a", "c")


def test_keys_are_derived_as_rfc_5869_says():
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    reference = HKDF(SHA256(), 32, salt=None, info=b"audit").derive(b"k" * 40)
    assert derive_key(b"k" * 40, "audit") == reference
    assert derive_key(b"k" * 40, "other") != reference


def test_the_same_secret_never_looks_the_same_twice():
    key = os.urandom(32)
    assert seal(key, b"secret", "a") != seal(key, b"secret", "a")


def test_any_changed_bit_breaks_the_seal():
    key = os.urandom(32)
    raw = base64.b64decode(seal(key, b"secret", "a", "b"))
    for position in range(len(raw)):
        broken = bytearray(raw)
        broken[position] ^= 1
        with pytest.raises(SealBroken):
            unseal(key, base64.b64encode(broken).decode(), "a", "b")


@pytest.mark.parametrize("sealed", ["", "AAAA", "not base64!", "é", base64.b64encode(b"x" * 27).decode()])
def test_garbage_does_not_open(sealed):
    with pytest.raises(SealBroken):
        unseal(os.urandom(32), sealed, "a")


def test_a_place_cannot_be_spelled_in_two_ways():
    key = os.urandom(32)
    with pytest.raises(SealBroken):
        unseal(key, seal(key, b"secret", "a", "bc"), "ab", "c")
