"""The names of blobs, before one is a segment of a path."""

import re

_NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def check_namespace(namespace: str) -> str:
    """Returns the namespace if it is safe as a segment of a path, else raises `ValueError`."""
    if not _NAMESPACE.fullmatch(namespace):
        raise ValueError("a namespace is up to 128 letters, digits, hyphens and underscores")
    return namespace


def check_digest(sha256: str) -> str:
    """Returns the digest if it is one, and so safe as a segment of a path, else raises `ValueError`."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError("a digest is 64 small hexadecimal digits")
    return sha256
