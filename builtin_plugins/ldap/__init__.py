"""LDAP: people of a company sign in with the password that its directory knows."""

from collections.abc import Sequence
from pathlib import Path

from builtin_plugins.ldap.kind import KIND
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.sign_in import SignInKind

PLUGIN = Plugin(
    id="ldap",
    name="LDAP",
    version="0.1.0",
    description="Signing in with the password that a company's LDAP directory knows.",
    requires=("sign-in", "outbound"),
)


@hookimpl
def declare_sign_in_kinds() -> Sequence[SignInKind]:
    return (KIND,)


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="ldap", folder=Path(__file__).with_name("texts")),)
