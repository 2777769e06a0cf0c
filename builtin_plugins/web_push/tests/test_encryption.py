"""What a push service carries: as RFC 8291 and RFC 8292 have it."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from builtin_plugins.web_push import encryption
from builtin_plugins.web_push.encryption import SenderKey, decoded, encrypt, key_fault, secret_fault
from builtin_plugins.web_push.tests.conftest import Browser

pytestmark = pytest.mark.any_database

# RFC 8291, appendix A.
_WORDS = b"When I grow up, I want to be a watermelon"
_SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
_RECEIVER = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
_SECRET = "BTBZMqHH6r4Tts7J_aSIgg"
_SALT = "DGv6ra1nlYgDCS1FRnbzlw"
_BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
    "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def key_of(text):
    return ec.derive_private_key(int.from_bytes(decoded(text), "big"), ec.SECP256R1())


def test_the_example_of_the_rfc(monkeypatch):
    receiver = Browser(key=key_of(_RECEIVER), secret=decoded(_SECRET))
    monkeypatch.setattr(ec, "generate_private_key", lambda curve: key_of(_SENDER))
    monkeypatch.setattr(encryption.os, "urandom", lambda size: decoded(_SALT))
    keys = receiver.subscription["keys"]
    body = encrypt(_WORDS, keys["p256dh"], keys["auth"])
    assert body == decoded(_BODY)
    assert receiver.read(body) == _WORDS


def test_the_longest_message_is_one_record():
    browser = Browser()
    keys = browser.subscription["keys"]
    words = b"x" * encryption.MAX_MESSAGE
    assert browser.read(encrypt(words, keys["p256dh"], keys["auth"])) == words


def test_the_key_is_the_same_for_the_same_instance_and_signs_for_one_service():
    key = SenderKey(b"k" * 32, "https://hall.test")
    assert key.public == SenderKey(b"k" * 32, "https://hall.test").public
    assert key.public != SenderKey(b"l" * 32, "https://hall.test").public
    scheme, _, rest = key.authorization("https://push.test:8443/send/1?x=2", 1_000_000).partition(" ")
    proof = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert (scheme, proof["k"]) == ("vapid", key.public)
    head, claimed, signature = proof["t"].split(".")
    assert json.loads(decoded(head)) == {"typ": "JWT", "alg": "ES256"}
    claims = {"aud": "https://push.test:8443", "exp": 1000 + 12 * 3600, "sub": "https://hall.test"}
    assert json.loads(decoded(claimed)) == claims
    raw = decoded(signature)
    r, s = (int.from_bytes(part, "big") for part in (raw[:32], raw[32:]))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(key.public))
    public.verify(encode_dss_signature(r, s), f"{head}.{claimed}".encode(), ec.ECDSA(SHA256()))


@pytest.mark.parametrize("key", ["", "é", "AA", "B" * 87, "C" + "A" * 86])
def test_what_is_no_key_is_refused(key):
    assert key_fault(key)


def test_what_is_no_secret_is_refused():
    assert secret_fault("AAAA") and secret_fault("*") and not secret_fault(_SECRET)
