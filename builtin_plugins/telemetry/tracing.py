"""Spans of requests, jobs, steps and model calls, sent to a collector of OpenTelemetry where one is named.

Nothing of OpenTelemetry is imported where none is. Its other variables (`OTEL_SERVICE_NAME`,
`OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_TRACES_SAMPLER`, `OTEL_BSP_…`) are read by its own library.
"""

import asyncio
import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING

from guildhall_sdk import Host, Setting
from guildhall_sdk.services.server import Tracing
from guildhall_sdk.settings import web_url

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

ENDPOINT: Setting[str | None] = Setting(
    name="endpoint",
    variable="OTEL_EXPORTER_OTLP_ENDPOINT",
    help="where traces go, by OTLP over HTTP, such as http://127.0.0.1:4318; unset: nothing is traced",
    default=None,
    parse=web_url,
)
_SERVICE = "guildhall"
#: A collector that does not answer keeps no server from its end for longer.
_STOP_SECONDS = 5.0
_log = logging.getLogger("guildhall.telemetry")


class OpenTelemetryTracing:
    """Implements the SDK's `Tracing`.

    The open span has a variable of its own: a stream that is closed elsewhere than where it was opened takes
    nobody else's span away.
    """

    def __init__(self, provider: "TracerProvider") -> None:
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._tracer = provider.get_tracer(_SERVICE)
        self._open: ContextVar[Span | None] = ContextVar("span", default=None)
        self._context_with = trace.set_span_in_context
        self._error = trace.Status(trace.StatusCode.ERROR)
        self._w3c = TraceContextTextMapPropagator()

    @contextmanager
    def span(
        self, name: str, *, parent: str | None = None, attributes: Mapping[str, str | int] = {}
    ) -> Iterator[None]:
        outer = self._open.get()
        within: Context | None = None if outer is None else self._context_with(outer)
        if parent is not None:
            within = self._w3c.extract({"traceparent": parent})
        # What is raised may carry what people wrote: its kind alone is told.
        span = self._tracer.start_span(name, within, attributes=attributes, record_exception=False)
        before = self._open.set(span)
        try:
            yield
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)
            span.set_status(self._error)
            raise
        finally:
            with suppress(ValueError):
                self._open.reset(before)
            span.end()

    def current(self) -> str | None:
        if (span := self._open.get()) is None:
            return None
        carrier: dict[str, str] = {}
        self._w3c.inject(carrier, self._context_with(span))
        return carrier.get("traceparent")

    def describe(self, name: str, attributes: Mapping[str, str | int], *, failed: bool = False) -> None:
        if (span := self._open.get()) is not None:
            span.update_name(name)
            span.set_attributes(dict(attributes))
            if failed:
                span.set_status(self._error)

    def flush(self) -> None:
        """Sends what has ended; waits for the collector."""
        self._provider.force_flush(round(_STOP_SECONDS * 1000))

    def stop(self) -> None:
        self._provider.shutdown()


def tracing_of(host: Host) -> OpenTelemetryTracing | None:
    """Makes the service `Tracing`; None where no collector is named, or nothing can speak to it."""
    endpoint = host.setting(ENDPOINT)
    if endpoint is None:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        # A server that traces nothing is better than none.
        _log.error(
            "telemetry.not_installed",
            extra={"fields": {"reason": "pip install 'guildhall-server[otel]', or unset " + _VARIABLE}},
        )
        return None
    named = Resource.create({"service.version": host.settings.version})
    if str(named.attributes["service.name"]).startswith("unknown_service"):
        named = named.merge(Resource({"service.name": _SERVICE}))
    provider = TracerProvider(resource=named, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return OpenTelemetryTracing(provider)


_VARIABLE = "OTEL_EXPORTER_OTLP_ENDPOINT"


async def stop_tracing(host: Host) -> None:
    """Sends what is left, for a moment: on a thread of its own, which the process does not wait for."""
    tracing = host.find_service(Tracing)
    if not isinstance(tracing, OpenTelemetryTracing):
        return
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()

    def stop() -> None:
        tracing.stop()
        with suppress(RuntimeError):  # nobody waits any more
            loop.call_soon_threadsafe(stopped.set)

    threading.Thread(target=stop, name="last traces", daemon=True).start()
    with suppress(TimeoutError):
        await asyncio.wait_for(stopped.wait(), _STOP_SECONDS)
