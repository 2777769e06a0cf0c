"""Typed services that plugins take from their context: `ctx.service(Directory)`."""

from guildhall_sdk.services.audit import AuditTrail
from guildhall_sdk.services.description import ApiDescription, Plugins, PluginStatus
from guildhall_sdk.services.events import Events
from guildhall_sdk.services.executors import Executor, Executors, Health, NewExecutor
from guildhall_sdk.services.identity import Credentials, IssuedToken, Passwords, Vault, VaultState
from guildhall_sdk.services.jobs import ClaimedJob, Jobs, Lease, Worker, Workers
from guildhall_sdk.services.metrics import Counter, MetricFamily, Metrics, Sample
from guildhall_sdk.services.quotas import Meter, Quotas, Reservation, Usage, metered
from guildhall_sdk.services.rates import CallerRates, RateLimits
from guildhall_sdk.services.readiness import Readiness, Trouble
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.scratch import Scratch
from guildhall_sdk.services.search import Findable, PreparedText, SearchIndex
from guildhall_sdk.services.stored_objects import Derivation, NewVersion, Staged, StoredObject, StoredVersion
from guildhall_sdk.services.tenancy import Colleague, Directory, Member, Org, Team, User
from guildhall_sdk.services.toggles import AdmittedTool, Features, Tools

__all__ = [
    "AdmittedTool",
    "ApiDescription",
    "AuditTrail",
    "CallerRates",
    "ClaimedJob",
    "Colleague",
    "Counter",
    "Credentials",
    "Derivation",
    "Directory",
    "Events",
    "Executor",
    "Executors",
    "Features",
    "Findable",
    "Health",
    "IssuedToken",
    "Jobs",
    "Lease",
    "Member",
    "Meter",
    "MetricFamily",
    "Metrics",
    "NewExecutor",
    "NewVersion",
    "Org",
    "Passwords",
    "PluginStatus",
    "Plugins",
    "PreparedText",
    "Quotas",
    "RateLimits",
    "Readiness",
    "Repository",
    "Reservation",
    "Sample",
    "Scratch",
    "SearchIndex",
    "Staged",
    "StoredObject",
    "StoredVersion",
    "Team",
    "Tools",
    "Trouble",
    "Usage",
    "User",
    "Vault",
    "VaultState",
    "Worker",
    "Workers",
    "metered",
]
