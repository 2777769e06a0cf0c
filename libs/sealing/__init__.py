"""Keys from keys, and sealed text that opens only where it was put."""

import base64
import binascii
import hashlib
import hmac
import json
import os

__all__ = ["CIPHER", "SealBroken", "derive_key", "new_key", "seal", "unseal"]

KEY_BYTES = 32
CIPHER = "AES-256-GCM"
_NONCE_BYTES = 12


class SealBroken(Exception):
    """A sealed text was changed, moved, or sealed with another key."""


def derive_key(key: bytes, purpose: str) -> bytes:
    """Derives a 32-byte key for one purpose: HKDF-SHA256 (RFC 5869) without salt, one block."""
    extracted = hmac.digest(bytes(32), key, hashlib.sha256)
    return hmac.digest(extracted, purpose.encode() + b"\x01", hashlib.sha256)


def new_key() -> bytes:
    return os.urandom(KEY_BYTES)


def seal(key: bytes, plain: bytes, *place: str) -> str:
    """Seals by AES-256-GCM under a fresh nonce, bound to its place: elsewhere the text does not open."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE_BYTES)
    return base64.b64encode(nonce + AESGCM(key).encrypt(nonce, plain, _bound_to(place))).decode()


def unseal(key: bytes, sealed: str, *place: str) -> bytes:
    """Opens what was sealed; raises `SealBroken`."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        raw = base64.b64decode(sealed, validate=True)
        return AESGCM(key).decrypt(raw[:_NONCE_BYTES], raw[_NONCE_BYTES:], _bound_to(place))
    except (InvalidTag, binascii.Error, ValueError):
        raise SealBroken(f"the sealed text at {'/'.join(place)} does not open") from None


def _bound_to(place: tuple[str, ...]) -> bytes:
    return json.dumps(place, separators=(",", ":")).encode()
