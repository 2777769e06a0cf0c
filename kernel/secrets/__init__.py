"""Envelope encryption: the instance's secret key wraps data keys, and data keys seal secrets."""

from kernel.secrets.keyfile import (
    SecretKeyError,
    SecretKeyMismatch,
    ServerKey,
    keep_secret_key,
    load_or_create_secret_key,
    load_secret_key,
    read_key_file,
)
from kernel.secrets.rotation import rewrap, rotate
from kernel.secrets.sealing import SealBroken
from kernel.secrets.vault import SealedVault

__all__ = [
    "SealBroken",
    "SealedVault",
    "SecretKeyError",
    "SecretKeyMismatch",
    "ServerKey",
    "keep_secret_key",
    "load_or_create_secret_key",
    "load_secret_key",
    "read_key_file",
    "rewrap",
    "rotate",
]
