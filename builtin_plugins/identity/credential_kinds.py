"""What a kind of credential must be for `GET /api/whoami` to name it."""

from typing import get_args

from guildhall_sdk.hooks import Declarer
from guildhall_sdk.principal import CredentialKind, TokenKind
from libs.names import identifier_fault

#: The tokens, and what a job acts with.
_KERNELS = frozenset({*get_args(TokenKind), "job"})


def credential_kind_fault(kind: CredentialKind, declarer: Declarer) -> str | None:
    """Returns what is wrong with a kind of credential, or None."""
    if (fault := identifier_fault("kind of credential", kind.name)) is not None:
        return fault
    if kind.name in _KERNELS:
        return f"the kind of credential {kind.name} is the kernel's own"
    if not kind.description:
        return f"kind of credential {kind.name}: say in a line what it is, as its description"
    return None
