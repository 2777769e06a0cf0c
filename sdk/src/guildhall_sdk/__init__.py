"""Guildhall's SDK: what most plugins import; the rest stands in its modules, named by subject."""

from guildhall_sdk.commands import Command
from guildhall_sdk.context import Call, Clock, Host
from guildhall_sdk.data import Migrations, Reader, Row, Statement, Writer, load_queries
from guildhall_sdk.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    Problem,
    TooLarge,
    TooManyRequests,
    Unavailable,
    UserError,
)
from guildhall_sdk.factories import Factory, SampleClient
from guildhall_sdk.hooks import hookimpl, hookspec
from guildhall_sdk.ids import new_id, rfc3339, rfc3339_or_none
from guildhall_sdk.jobs import Job, JobCall, JobFailed, JobKind, NewJob
from guildhall_sdk.metrics import Metric
from guildhall_sdk.plugin import Feature, Plugin
from guildhall_sdk.principal import Actor, Credential, Permission, Principal
from guildhall_sdk.replies import PAGE_QUERY, Reply, created, cut_page, no_content, page, page_bounds
from guildhall_sdk.routes import Auth, Body, Route
from guildhall_sdk.services.search import SearchSource
from guildhall_sdk.services.workflows import Workflow
from guildhall_sdk.settings import Preference, Setting
from guildhall_sdk.subscriptions import Event, EventCall, Origin, Subscription
from guildhall_sdk.tools import Parameter, Tool

# fmt: off
__all__ = [
    "PAGE_QUERY", "Actor", "Auth", "Body", "Call", "Clock", "Command", "Conflict", "Credential", "Event",
    "EventCall", "Factory", "Feature", "Forbidden", "Host", "InvalidRequest", "Job", "JobCall",
    "JobFailed", "JobKind", "Metric", "Migrations", "NewJob", "NotFound", "Origin", "Parameter",
    "Permission", "PermissionDenied", "Plugin", "Preference", "Principal", "Problem", "Reader", "Reply",
    "Route", "Row", "SampleClient", "SearchSource", "Setting", "Statement", "Subscription", "TooLarge",
    "TooManyRequests", "Tool", "Unavailable", "UserError", "Workflow", "Writer", "created", "cut_page",
    "hookimpl", "hookspec", "load_queries", "new_id", "no_content", "page", "page_bounds", "rfc3339",
    "rfc3339_or_none",
]
# fmt: on
