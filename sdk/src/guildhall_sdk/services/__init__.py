"""Typed services that plugins take from their context: `ctx.service(Directory)`."""

from guildhall_sdk.services.audit import AuditTrail
from guildhall_sdk.services.description import ApiDescription, Plugins, PluginStatus
from guildhall_sdk.services.identity import Credentials, IssuedToken, Passwords, Vault
from guildhall_sdk.services.tenancy import Directory, Member, Org, Team, User
from guildhall_sdk.services.toggles import Features, Tools

__all__ = [
    "ApiDescription",
    "AuditTrail",
    "Credentials",
    "Directory",
    "Features",
    "IssuedToken",
    "Member",
    "Org",
    "Passwords",
    "PluginStatus",
    "Plugins",
    "Team",
    "Tools",
    "User",
    "Vault",
]
