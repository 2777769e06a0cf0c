"""What an operator can watch here: how much there is, which plugins run."""

from collections import Counter
from pathlib import Path

from guildhall_sdk import Host, Metric, Reader, load_queries
from guildhall_sdk.metrics import Measured, measured_by
from guildhall_sdk.services.audit import AuditTrail
from guildhall_sdk.services.description import Plugins
from guildhall_sdk.services.identity import Credentials

_STATES = ("loaded", "quarantined", "blocked")

_sql = load_queries(Path(__file__).with_name("queries.sql"))


async def _build(host: Host, reader: Reader) -> Measured:
    return {(host.settings.version,): 1}


async def _plugins(host: Host, reader: Reader) -> Measured:
    found = Counter[str](status.status for status in host.service(Plugins).statuses())
    return {(state,): found[state] for state in _STATES}


async def _tokens(host: Host, reader: Reader) -> Measured:
    return {(): await host.service(Credentials).count_api_tokens(reader)}


async def _audit_events(host: Host, reader: Reader) -> Measured:
    return {(): await host.service(AuditTrail).count(reader)}


METRICS = (
    Metric(
        "guildhall_build_info", "Always 1; the label tells the version", "gauge", ("version",), measure=_build
    ),
    Metric("guildhall_plugins", "Plugins by their state", "gauge", ("status",), measure=_plugins),
    Metric("guildhall_users", "People", "gauge", measure=measured_by(_sql.users)),
    Metric("guildhall_teams", "Teams", "gauge", measure=measured_by(_sql.teams)),
    Metric("guildhall_orgs", "Companies", "gauge", measure=measured_by(_sql.orgs)),
    Metric("guildhall_tokens", "API tokens that still work", "gauge", measure=_tokens, sampled=True),
    Metric("guildhall_audit_events", "Audit events", "gauge", measure=_audit_events, sampled=True),
    Metric("guildhall_tenants", "Companies without an operator", "gauge", measure=measured_by(_sql.tenants)),
)
