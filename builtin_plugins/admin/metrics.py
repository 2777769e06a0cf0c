"""`GET /api/metrics`: everything that the kernel and the plugins measure, as JSON and as Prometheus reads it.

`prometheus_client` is imported at its first use, and only here.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from guildhall_sdk import Call, Host, Metric, Reader, Reply, Route, load_queries
from guildhall_sdk.metrics import Measured, MetricFamily, Metrics, Sample, measured_by
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.retention import AuditTrail
from guildhall_sdk.schema import anything, array, enum, integer, listing, number, shape, string
from guildhall_sdk.services.identity import Credentials
from libs.negotiation import preferred

if TYPE_CHECKING:
    from prometheus_client.core import Metric as PrometheusMetric

PLAIN = "text/plain"
OPENMETRICS = "application/openmetrics-text"


def exposed(families: Sequence[MetricFamily], content_type: str) -> tuple[bytes, str]:
    """Returns the text, and the content type with its version."""
    from prometheus_client import exposition, openmetrics

    snapshot = _Snapshot(families)
    if content_type == OPENMETRICS:
        text: bytes = openmetrics.exposition.generate_latest(snapshot)  # type: ignore[no-untyped-call]
        return text, openmetrics.exposition.CONTENT_TYPE_LATEST
    return exposition.generate_latest(snapshot), exposition.CONTENT_TYPE_PLAIN_0_0_4


@dataclass(frozen=True, slots=True, eq=False)
class _Snapshot:
    """A registry as the library takes one, of families that were measured."""

    families: Sequence[MetricFamily]

    def collect(self) -> "Iterable[PrometheusMetric]":
        from prometheus_client.core import Metric

        for family in self.families:
            metric = Metric(family.name.removesuffix("_total"), family.help, family.kind)
            for sample in family.samples:
                for name, labels, value in _lines(family, sample):
                    metric.add_sample(name, labels, value)
            yield metric


def _lines(family: MetricFamily, sample: Sample) -> Iterator[tuple[str, dict[str, str], float]]:
    labels = dict(sample.labels)
    if family.kind != "histogram":
        yield family.name, labels, sample.value
        return
    for bound, count in sample.buckets:
        yield f"{family.name}_bucket", {**labels, "le": bound_text(bound)}, count
    yield f"{family.name}_count", labels, sample.value
    yield f"{family.name}_sum", labels, sample.sum or 0.0


def bound_text(bound: float) -> str:
    return "+Inf" if math.isinf(bound) else str(bound)


_JSON = "application/json"

METRIC_LIST = listing(
    shape(
        {
            "name": string(),
            "type": enum("counter", "gauge", "histogram"),
            "help": string(),
            "samples": array(
                shape(
                    {
                        "labels": anything(type="object", additionalProperties=string()),
                        "value": number(description="Of a histogram: how many were observed"),
                        "sum": number(description="Of a histogram alone"),
                        "buckets": anything(
                            type="object",
                            additionalProperties=integer(0),
                            description="Of a histogram: upper bound to how many were at most that",
                        ),
                    },
                    optional=["sum", "buckets"],
                )
            ),
        }
    )
)

ROUTES = (
    Route(
        "GET",
        "/api/metrics",
        "metrics",
        "Operational metrics: JSON, or Prometheus text for who accepts text/plain",
        permission="instance:manage",
        reply=METRIC_LIST,
        also_answers=(PLAIN, OPENMETRICS),
    ),
)


async def metrics(call: Call) -> Reply:
    wanted = preferred(call.headers.get("accept", ""), (_JSON, PLAIN, OPENMETRICS))
    measured = await call.service(Metrics).collect()
    # On a thread: thousands of lines take a while, and the other requests should not wait for them.
    return await asyncio.to_thread(_answer, measured, wanted)


def _answer(families: Sequence[MetricFamily], wanted: str) -> Reply:
    if wanted == _JSON:
        return Reply({"items": [_family_json(family) for family in families], "next_cursor": None})
    content, content_type = exposed(families, wanted)
    return Reply(content=content, content_type=content_type)


def _family_json(family: MetricFamily) -> dict[str, Any]:
    return {
        "name": family.name,
        "type": family.kind,
        "help": family.help,
        "samples": [_sample_json(sample) for sample in family.samples],
    }


def _sample_json(sample: Sample) -> dict[str, Any]:
    fields: dict[str, Any] = {"labels": dict(sample.labels), "value": sample.value}
    if sample.buckets:
        fields["sum"] = sample.sum
        fields["buckets"] = {bound_text(bound): count for bound, count in sample.buckets}
    return fields


HANDLERS = {"metrics": metrics}


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
