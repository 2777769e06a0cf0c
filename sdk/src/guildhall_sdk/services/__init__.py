"""Typed services that plugins take from their context: `ctx.service(Directory)`."""

from guildhall_sdk.services.audit import AuditTrail
from guildhall_sdk.services.description import ApiDescription, Plugins, PluginStatus
from guildhall_sdk.services.identity import Credentials, IssuedToken, Passwords, Vault, VaultState
from guildhall_sdk.services.metrics import Counter, MetricFamily, Metrics, Sample
from guildhall_sdk.services.quotas import Meter, Quotas, Reservation, Usage, metered
from guildhall_sdk.services.tenancy import Colleague, Directory, Member, Org, Team, User
from guildhall_sdk.services.toggles import Features, Tools

__all__ = [
    "ApiDescription",
    "AuditTrail",
    "Colleague",
    "Counter",
    "Credentials",
    "Directory",
    "Features",
    "IssuedToken",
    "Member",
    "Meter",
    "MetricFamily",
    "Metrics",
    "Org",
    "Passwords",
    "PluginStatus",
    "Plugins",
    "Quotas",
    "Reservation",
    "Sample",
    "Team",
    "Tools",
    "Usage",
    "User",
    "Vault",
    "VaultState",
    "metered",
]
