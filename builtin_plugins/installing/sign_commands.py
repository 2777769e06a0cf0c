"""`guildhall plugin keygen` and `guildhall plugin sign`, for the authors of plugins."""

import argparse
import base64
import os
from hashlib import sha512
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from builtin_plugins.installing.signatures import KEYS
from guildhall_sdk.commands import StandaloneHost
from guildhall_sdk.errors import OperatorError


def keygen_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Makes a key to sign wheels with: the private one goes into a file that nobody else reads, "
        f"the public one is printed. Operators put that on a line of their file {KEYS}."
    )
    parser.add_argument("file", type=Path, help="where the private key goes; nothing is there yet")


def keygen(options: argparse.Namespace, _host: StandaloneHost) -> int:
    print(_make_key(options.file))
    return 0


def sign_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Signs a wheel: its signature goes into a file beside it, WHEEL.sig."
    parser.add_argument("wheel", type=Path, help="the wheel")
    parser.add_argument("--key", type=Path, required=True, metavar="FILE", help="a private key")


def sign_wheel(options: argparse.Namespace, _host: StandaloneHost) -> int:
    print(_sign(options.wheel, options.key))
    return 0


def _make_key(file: Path) -> str:
    """Writes a new private key into a file that only its owner reads; returns the public one."""
    key = Ed25519PrivateKey.generate()
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as fault:
        raise OperatorError(f"{file} cannot be made: {fault.strerror}") from None
    with os.fdopen(descriptor, "w") as opened:
        opened.write(base64.b64encode(key.private_bytes_raw()).decode() + "\n")
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def _sign(wheel: Path, key_file: Path) -> Path:
    """Writes the signature of a wheel beside it."""
    try:
        secret = base64.b64decode(key_file.read_text("ascii").strip(), validate=True)
        key = Ed25519PrivateKey.from_private_bytes(secret)
    except OSError as fault:
        raise OperatorError(f"{key_file} cannot be read: {fault.strerror}") from None
    except ValueError:
        raise OperatorError(f"{key_file} holds no private key; guildhall plugin keygen makes one") from None
    try:
        digest = sha512(wheel.read_bytes()).digest()
    except OSError as fault:
        raise OperatorError(f"{wheel} cannot be read: {fault.strerror}") from None
    signature = wheel.with_name(f"{wheel.name}.sig")
    signature.write_text(base64.b64encode(key.sign(digest)).decode() + "\n")
    return signature
