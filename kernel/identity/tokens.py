"""What a token looks like, and what is kept of it."""

import hashlib
import re
import secrets
from typing import Final

from guildhall_sdk.principal import TokenKind

_PREFIXES: Final[dict[TokenKind, str]] = {"session": "ghs_", "api": "gha_", "worker": "ghw_"}
_WELL_FORMED = re.compile(r"gh[saw]_[A-Za-z0-9_-]{43}")


def new_token(kind: TokenKind) -> str:
    """A prefix that tells the kind, and 256 bits of chance."""
    return _PREFIXES[kind] + secrets.token_urlsafe(32)


def hash_of(token: str) -> str:
    """With 256 bits of chance behind it a plain SHA-256 is enough, and finding it by index tells nothing."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_well_formed(token: str) -> bool:
    return _WELL_FORMED.fullmatch(token) is not None


def is_own(token: str) -> bool:
    """Whether it looks like one of ours: what nobody else is to judge, be it malformed or long ended."""
    return token.startswith(tuple(_PREFIXES.values()))


def is_workers(token: str) -> bool:
    return token.startswith(_PREFIXES["worker"])
