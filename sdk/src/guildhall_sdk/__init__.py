"""Guildhall's SDK: all that a plugin imports."""

from guildhall_sdk.background import BackgroundWork
from guildhall_sdk.blobs import (
    Blob,
    BlobBackend,
    BlobCorrupt,
    BlobMissing,
    BlobReferences,
    BlobsNotListed,
    BlobStore,
    BlobStoreKind,
    BlobStoreRefused,
    BlobStoreUnavailable,
    Hasher,
    KeptBlob,
)
from guildhall_sdk.catalogs import MessageCatalogs
from guildhall_sdk.commands import Command, CommandHost, OpenedHost, StandaloneHost
from guildhall_sdk.context import Clock, ExtensionCall, Host, PublicSettings, RequestContext, ServiceMissing
from guildhall_sdk.contributions import Accepts, Contributor
from guildhall_sdk.data import (
    TENANT,
    Data,
    Migrations,
    Queries,
    Reader,
    Row,
    Statement,
    Writer,
    load_queries,
)
from guildhall_sdk.dimensions import Dimension
from guildhall_sdk.errors import (
    BadGateway,
    Conflict,
    FeatureDisabled,
    Forbidden,
    GatewayTimeout,
    InvalidJson,
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
    OperatorError,
    PaymentRequired,
    PermissionDenied,
    PreconditionFailed,
    Problem,
    RangeNotSatisfiable,
    TooLarge,
    ToolDisabled,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    Unprocessable,
    UserError,
)
from guildhall_sdk.factories import Factory, SampleClient
from guildhall_sdk.features import Feature
from guildhall_sdk.hooks import hookimpl
from guildhall_sdk.ids import new_id, parse_rfc3339, rfc3339, rfc3339_or_none, time_in
from guildhall_sdk.jobs import Job, JobBinding, JobCall, JobError, JobFailed, JobKind, NewJob, RemoteCall
from guildhall_sdk.metrics import Distribution, Measured, Metric, measured_by
from guildhall_sdk.mounts import Mount
from guildhall_sdk.news import News
from guildhall_sdk.onboarding import Experience
from guildhall_sdk.pages import Pages
from guildhall_sdk.paging import PAGE_QUERY, cut_page, decode_cursor, encode_cursor, page_bounds
from guildhall_sdk.permissions import ORG_ROLES, TEAM_ROLES, Permission
from guildhall_sdk.plugin import API_VERSION, Plugin
from guildhall_sdk.preferences import Preference
from guildhall_sdk.principal import Actor, Credential, Principal
from guildhall_sdk.replies import Reply, accepted, created, no_content, page
from guildhall_sdk.routes import Auth, Body, ExtensionRoute, Route
from guildhall_sdk.samples import Samples, Seeded
from guildhall_sdk.search import SearchSource
from guildhall_sdk.settings import Setting
from guildhall_sdk.sign_in import CredentialKind, SignIn, SignInRequest
from guildhall_sdk.subscriptions import Event, EventCall, Origin, Subscription
from guildhall_sdk.tools import Artifact, Parameter, Tool, ToolSource
from guildhall_sdk.workflows import Workflow

__all__ = [
    "API_VERSION",
    "ORG_ROLES",
    "PAGE_QUERY",
    "TEAM_ROLES",
    "TENANT",
    "Accepts",
    "Actor",
    "Artifact",
    "Auth",
    "BackgroundWork",
    "BadGateway",
    "Blob",
    "BlobBackend",
    "BlobCorrupt",
    "BlobMissing",
    "BlobReferences",
    "BlobStore",
    "BlobStoreKind",
    "BlobStoreRefused",
    "BlobStoreUnavailable",
    "BlobsNotListed",
    "Body",
    "Clock",
    "Command",
    "CommandHost",
    "Conflict",
    "Contributor",
    "Credential",
    "CredentialKind",
    "Data",
    "Dimension",
    "Distribution",
    "Event",
    "EventCall",
    "Experience",
    "ExtensionCall",
    "ExtensionRoute",
    "Factory",
    "Feature",
    "FeatureDisabled",
    "Forbidden",
    "GatewayTimeout",
    "Hasher",
    "Host",
    "InvalidJson",
    "InvalidRequest",
    "Job",
    "JobBinding",
    "JobCall",
    "JobError",
    "JobFailed",
    "JobKind",
    "KeptBlob",
    "Measured",
    "MessageCatalogs",
    "MethodNotAllowed",
    "Metric",
    "Migrations",
    "Mount",
    "NewJob",
    "News",
    "NotFound",
    "OpenedHost",
    "OperatorError",
    "Origin",
    "Pages",
    "Parameter",
    "PaymentRequired",
    "Permission",
    "PermissionDenied",
    "Plugin",
    "PreconditionFailed",
    "Preference",
    "Principal",
    "Problem",
    "PublicSettings",
    "Queries",
    "RangeNotSatisfiable",
    "Reader",
    "RemoteCall",
    "Reply",
    "RequestContext",
    "Route",
    "Row",
    "SampleClient",
    "Samples",
    "SearchSource",
    "Seeded",
    "ServiceMissing",
    "Setting",
    "SignIn",
    "SignInRequest",
    "StandaloneHost",
    "Statement",
    "Subscription",
    "TooLarge",
    "TooManyRequests",
    "Tool",
    "ToolDisabled",
    "ToolSource",
    "Unauthenticated",
    "Unavailable",
    "Unprocessable",
    "UserError",
    "Workflow",
    "Writer",
    "accepted",
    "created",
    "cut_page",
    "decode_cursor",
    "encode_cursor",
    "hookimpl",
    "load_queries",
    "measured_by",
    "new_id",
    "no_content",
    "page",
    "page_bounds",
    "parse_rfc3339",
    "rfc3339",
    "rfc3339_or_none",
    "time_in",
]
