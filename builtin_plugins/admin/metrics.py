"""`GET /api/metrics`: everything that the kernel and the plugins measure."""

import asyncio
from collections.abc import Sequence
from typing import Any

from builtin_plugins.admin.exposition import OPENMETRICS, PLAIN, bound_text, exposed
from guildhall_sdk import Call, Reply, Route
from guildhall_sdk.schema import anything, array, enum, integer, listing, number, shape, string
from guildhall_sdk.services.metrics import MetricFamily, Metrics, Sample
from libs.negotiation import preferred

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
