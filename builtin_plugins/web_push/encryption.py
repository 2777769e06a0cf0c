"""What a push service carries and cannot read (RFC 8291), and the proof of who sends it (RFC 8292)."""

import base64
import binascii
import json
import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey

#: What services take is 4,096 bytes, of which the head and the seal are 103.
MAX_MESSAGE = 3_900
_RECORD = 4_096
_POINT, _SECRET = 65, 16
_PROOF_SECONDS = 12 * 3600
# The order of the curve P-256.
_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def encoded(content: bytes) -> str:
    """Writes bytes in Base64 for addresses, without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Reads Base64 for addresses, padded or not; raises `ValueError`."""
    try:
        padded = text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
        return base64.b64decode(padded, altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


def key_fault(public_key: str) -> str | None:
    """Returns what is wrong with a browser's public key, or None."""
    try:
        _point(decoded(public_key))
    except ValueError:
        return "is no point on P-256, uncompressed and in Base64 for addresses"
    return None


def secret_fault(secret: str) -> str | None:
    """Returns what is wrong with a browser's authentication secret, or None."""
    try:
        return None if len(decoded(secret)) == _SECRET else "is not 16 bytes"
    except ValueError:
        return "is no Base64 for addresses"


def _point(content: bytes) -> "EllipticCurvePublicKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    if len(content) != _POINT:
        raise ValueError("it has another length")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), content)


def _bytes_of(key: "EllipticCurvePublicKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encrypt(message: bytes, public_key: str, secret: str) -> bytes:
    """Returns a message as one record of `aes128gcm`, which only the browser with this key can read."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    theirs = decoded(public_key)
    own = ec.generate_private_key(ec.SECP256R1())
    own_public = _bytes_of(own.public_key())
    shared = own.exchange(ec.ECDH(), _point(theirs))
    salt = os.urandom(16)
    mixed = _derived(decoded(secret), b"WebPush: info\x00" + theirs + own_public, 32, shared)
    key = _derived(salt, b"Content-Encoding: aes128gcm\x00", 16, mixed)
    nonce = _derived(salt, b"Content-Encoding: nonce\x00", 12, mixed)
    head = salt + _RECORD.to_bytes(4, "big") + bytes([len(own_public)]) + own_public
    # The last record ends with 2.
    return head + AESGCM(key).encrypt(nonce, message + b"\x02", None)


def _derived(salt: bytes, info: bytes, length: int, material: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), length, salt, info).derive(material)


class SenderKey:
    """The key by which push services know this instance; browsers subscribe to its public part."""

    def __init__(self, derived: bytes, contact: str) -> None:
        from cryptography.hazmat.primitives.asymmetric import ec

        number = int.from_bytes(derived, "big") % (_ORDER - 1) + 1
        self._key: EllipticCurvePrivateKey = ec.derive_private_key(number, ec.SECP256R1())
        self._contact = contact
        self.public = encoded(_bytes_of(self._key.public_key()))

    def authorization(self, endpoint: str, now_ms: int) -> str:
        """Returns the header that shows a push service who sends."""
        from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
        from cryptography.hazmat.primitives.hashes import SHA256

        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": now_ms // 1000 + _PROOF_SECONDS,
            "sub": self._contact,
        }
        signed = ".".join(
            encoded(json.dumps(part, separators=(",", ":")).encode())
            for part in ({"typ": "JWT", "alg": "ES256"}, claims)
        )
        r, s = decode_dss_signature(self._key.sign(signed.encode(), ECDSA(SHA256())))
        signature = encoded(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
        return f"vapid t={signed}.{signature}, k={self.public}"
