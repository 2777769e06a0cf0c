"""Metrics as Prometheus reads them. `prometheus_client` is imported at its first use, and only here."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guildhall_sdk.services.metrics import MetricFamily, Sample

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


@dataclass(frozen=True, slots=True)
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
