"""Typed services that plugins take from their context: `ctx.service(Directory)`."""

from guildhall_sdk.services.audit import AuditRetention, AuditTrail
from guildhall_sdk.services.branding import Brandings, Look, Picture, Pictures, Themes
from guildhall_sdk.services.computing import Computing
from guildhall_sdk.services.description import ApiDescription, Plugins, PluginStatus
from guildhall_sdk.services.events import Events
from guildhall_sdk.services.executors import (
    Executor,
    Executors,
    ExecutorTimeout,
    Health,
    ModelBusy,
    ModelEndpoint,
    ModelUnavailable,
    NewExecutor,
)
from guildhall_sdk.services.files import Files
from guildhall_sdk.services.identity import (
    AuthorityEnded,
    Credentials,
    IssuedToken,
    Passwords,
    Vault,
    VaultState,
)
from guildhall_sdk.services.job_events import JobEvents, NewJobEvent
from guildhall_sdk.services.jobs import (
    ClaimedJob,
    JobLimits,
    JobReservations,
    JobRetention,
    Jobs,
    Lease,
    PushRunner,
    Worker,
    WorkerRegistry,
    Workers,
)
from guildhall_sdk.services.json_schemas import JsonSchemas, JudgedSchema, Validator, Validators
from guildhall_sdk.services.localization import LocaleName, LocalePolicy, Localization
from guildhall_sdk.services.metrics import Counter, MetricFamily, Metrics, Sample
from guildhall_sdk.services.models import (
    ModelChoice,
    ModelDelta,
    ModelFormat,
    ModelReply,
    Models,
    ModelTurn,
    TokenUsage,
    ToolCall,
)
from guildhall_sdk.services.notes import Notes, ReadableNote
from guildhall_sdk.services.onboarding import Onboarding
from guildhall_sdk.services.preferences import Preferences, StoredPreference
from guildhall_sdk.services.quotas import Meter, Quotas, Reservation, Usage, metered
from guildhall_sdk.services.readiness import Readiness, Trouble
from guildhall_sdk.services.repository import Repository
from guildhall_sdk.services.roles import Roles
from guildhall_sdk.services.sandbox import Sandbox
from guildhall_sdk.services.scratch import Scratch
from guildhall_sdk.services.search import Findable, FoundPage, PreparedText, Search, SearchIndex
from guildhall_sdk.services.storage import InstanceStorage
from guildhall_sdk.services.stored_objects import (
    Derivation,
    NewVersion,
    ReadText,
    Staged,
    StoredObject,
    StoredVersion,
    VersionPart,
)
from guildhall_sdk.services.templates import Templates
from guildhall_sdk.services.tenancy import Colleague, Directory, ListedUser, Member, Org, Team, User
from guildhall_sdk.services.toggles import AdmittedTool, Features, OpenTool, RefusedTool, Switches, Tools
from guildhall_sdk.services.translation import (
    CatalogProblem,
    GlossaryUse,
    TranslatedCatalog,
    Translation,
    Translator,
)
from guildhall_sdk.services.usage_reports import UsageLine, UsageReports
from guildhall_sdk.services.workers import LocalWorkers, WorkerModel
from guildhall_sdk.services.workflows import RunCause, RunSummary, Workflows

__all__ = [
    "AdmittedTool",
    "ApiDescription",
    "AuditRetention",
    "AuditTrail",
    "AuthorityEnded",
    "Brandings",
    "CatalogProblem",
    "ClaimedJob",
    "Colleague",
    "Computing",
    "Counter",
    "Credentials",
    "Derivation",
    "Directory",
    "Events",
    "Executor",
    "ExecutorTimeout",
    "Executors",
    "Features",
    "Files",
    "Findable",
    "FoundPage",
    "GlossaryUse",
    "Health",
    "InstanceStorage",
    "IssuedToken",
    "JobEvents",
    "JobLimits",
    "JobReservations",
    "JobRetention",
    "Jobs",
    "JsonSchemas",
    "JudgedSchema",
    "Lease",
    "ListedUser",
    "LocalWorkers",
    "LocaleName",
    "LocalePolicy",
    "Localization",
    "Look",
    "Member",
    "Meter",
    "MetricFamily",
    "Metrics",
    "ModelBusy",
    "ModelChoice",
    "ModelDelta",
    "ModelEndpoint",
    "ModelFormat",
    "ModelReply",
    "ModelTurn",
    "ModelUnavailable",
    "Models",
    "NewExecutor",
    "NewJobEvent",
    "NewVersion",
    "Notes",
    "Onboarding",
    "OpenTool",
    "Org",
    "Passwords",
    "Picture",
    "Pictures",
    "PluginStatus",
    "Plugins",
    "Preferences",
    "PreparedText",
    "PushRunner",
    "Quotas",
    "ReadText",
    "ReadableNote",
    "Readiness",
    "RefusedTool",
    "Repository",
    "Reservation",
    "Roles",
    "RunCause",
    "RunSummary",
    "Sample",
    "Sandbox",
    "Scratch",
    "Search",
    "SearchIndex",
    "Staged",
    "StoredObject",
    "StoredPreference",
    "StoredVersion",
    "Switches",
    "Team",
    "Templates",
    "Themes",
    "TokenUsage",
    "ToolCall",
    "Tools",
    "TranslatedCatalog",
    "Translation",
    "Translator",
    "Trouble",
    "Usage",
    "UsageLine",
    "UsageReports",
    "User",
    "Validator",
    "Validators",
    "Vault",
    "VaultState",
    "VersionPart",
    "Worker",
    "WorkerModel",
    "WorkerRegistry",
    "Workers",
    "Workflows",
    "metered",
]
