"""Signatures of wheels: Ed25519 of a wheel's SHA-512, in base64, in a file beside it."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha512
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from guildhall_sdk.errors import OperatorError

KEYS, SIGNED = "SERVICE_PLUGINS_KEYS", "SERVICE_PLUGINS_SIGNED"
#: What an operator may say of signatures.
REQUIRE, OPTIONAL = "require", "optional"


@dataclass(frozen=True, slots=True)
class Signatures:
    """What an operator demands of wheels."""

    keys: Sequence[Ed25519PublicKey]
    required: bool

    def check(self, wheel: Path, signature: Path | None) -> str | None:
        """Returns how the signature stands, None where nobody asks for one; raises where it must not be."""
        if signature is None or not signature.exists():
            if self.required:
                raise OperatorError(
                    f"{wheel.name} has no signature beside it, and {SIGNED}=require wants one: "
                    f"put {wheel.name}.sig of its author there"
                )
            return None
        if not self.keys:
            return None
        digest = sha512(wheel.read_bytes()).digest()
        try:
            given = base64.b64decode(signature.read_text("ascii").strip(), validate=True)
        except (OSError, UnicodeError, binascii.Error):
            raise OperatorError(f"{signature.name} holds no signature in base64") from None
        if not any(_fits(key, given, digest) for key in self.keys):
            raise OperatorError(
                f"{signature.name} fits none of the keys in {KEYS}: the wheel is another one than was "
                "signed, or its author's key is not among them"
            )
        return "signed"


def signatures_of(environ: Mapping[str, str]) -> Signatures:
    """Reads what the operator demands; raises `OperatorError` for what cannot be read."""
    demanded = environ.get(SIGNED, OPTIONAL)
    if demanded not in {REQUIRE, OPTIONAL}:
        raise OperatorError(f"{SIGNED} takes one of {OPTIONAL}, {REQUIRE}")
    file = environ.get(KEYS)
    if file is None and demanded == REQUIRE:
        raise OperatorError(f"{SIGNED}=require needs {KEYS}, a file with a public key on each line")
    return Signatures(_keys_in(Path(file)) if file else (), demanded == REQUIRE)


def _keys_in(file: Path) -> Sequence[Ed25519PublicKey]:
    try:
        lines = file.read_text("ascii").splitlines()
    except (OSError, UnicodeError) as fault:
        raise OperatorError(f"{KEYS}: {file} cannot be read: {fault}") from None
    keys = []
    for number, line in enumerate(lines, 1):
        if text := line.partition("#")[0].strip():
            try:
                keys.append(Ed25519PublicKey.from_public_bytes(base64.b64decode(text, validate=True)))
            except ValueError:
                raise OperatorError(f"{KEYS}: line {number} of {file} is no public key in base64") from None
    return keys


def _fits(key: Ed25519PublicKey, signature: bytes, digest: bytes) -> bool:
    try:
        key.verify(signature, digest)
    except InvalidSignature:
        return False
    return True
