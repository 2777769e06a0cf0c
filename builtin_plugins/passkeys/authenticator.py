"""An authenticator in software, for samples and tests: it makes a key and signs as a real one does."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any

from builtin_plugins.passkeys.ceremony import to_bytes, to_text

_PRESENT, _VERIFIED, _MAY_SYNC, _SYNCED, _HAS_KEY = 0x01, 0x04, 0x08, 0x10, 0x40


class SoftwareAuthenticator:
    """One key pair of one site. Tests change its members to have it lie."""

    def __init__(self, origin: str, *, verifies: bool = True, counts: bool = True) -> None:
        from cryptography.hazmat.primitives.asymmetric import ec

        self.origin = origin
        self.verifies = verifies
        self.count = 1 if counts else 0
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = secrets.token_bytes(32)
        self.user_handle = b""

    def create(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Answers creation options, as `navigator.credentials.create` does."""
        from webauthn.helpers import encode_cbor

        numbers = self.key.public_key().public_numbers()
        x, y = numbers.x.to_bytes(32, "big"), numbers.y.to_bytes(32, "big")
        public_key = encode_cbor({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        self.user_handle = to_bytes(options["user"]["id"], "user.id")
        named = len(self.credential_id).to_bytes(2, "big") + self.credential_id
        data = self._data(options["rp"]["id"], _HAS_KEY) + bytes(16) + named + public_key
        attestation = encode_cbor({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self._client_data("webauthn.create", options["challenge"])
        return self._credential(
            {
                "clientDataJSON": to_text(client_data),
                "attestationObject": to_text(attestation),
                "transports": ["internal"],
            }
        )

    def get(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Answers request options, as `navigator.credentials.get` does."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec

        self.count += 1 if self.count else 0
        data = self._data(options["rpId"])
        client_data = self._client_data("webauthn.get", options["challenge"])
        signed = data + hashlib.sha256(client_data).digest()
        return self._credential(
            {
                "clientDataJSON": to_text(client_data),
                "authenticatorData": to_text(data),
                "signature": to_text(self.key.sign(signed, ec.ECDSA(hashes.SHA256()))),
                "userHandle": to_text(self.user_handle),
            }
        )

    def _data(self, rp_id: str, more: int = 0) -> bytes:
        flags = _PRESENT | _MAY_SYNC | _SYNCED | more | (_VERIFIED if self.verifies else 0)
        return hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client_data(self, kind: str, challenge: str) -> bytes:
        data = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return json.dumps(data).encode()

    def _credential(self, response: dict[str, Any]) -> dict[str, Any]:
        name = to_text(self.credential_id)
        return {
            "id": name,
            "rawId": name,
            "type": "public-key",
            "response": response,
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
        }
