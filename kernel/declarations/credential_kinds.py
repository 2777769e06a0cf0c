"""What a kind of credential must be to stand beside the kernel's tokens."""

from guildhall_sdk import Credential, CredentialKind
from kernel.declarations.names import check_name
from kernel.faults import PluginFault
from kernel.registry import LoadedPlugin, Registry


def check_credential_kind(kind: CredentialKind, plugin: LoadedPlugin, registry: Registry) -> None:
    check_name("kind of credential", kind.name)
    if Credential("", kind.name, None, None).is_token:
        raise PluginFault(f"the kind of credential {kind.name} is the kernel's own")
    if not kind.description:
        raise PluginFault(f"kind of credential {kind.name}: say in a line what it is, as its description")
