"""What a kind of credential must be to stand beside the kernel's tokens."""

from typing import get_args

from guildhall_sdk import CredentialKind
from guildhall_sdk.principal import TokenKind
from kernel.declarations.names import check_name
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry

#: The tokens, and what a job acts with.
_OWN = frozenset({*get_args(TokenKind), "job"})


def check_credential_kind(kind: CredentialKind, plugin: LoadedPlugin, registry: Registry) -> None:
    check_name("kind of credential", kind.name)
    if kind.name in _OWN:
        raise PluginFault(f"the kind of credential {kind.name} is the kernel's own")
    if not kind.description:
        raise PluginFault(f"kind of credential {kind.name}: say in a line what it is, as its description")
