"""A trace of one request: through its job, its steps and the model, at a collector on loopback."""

import asyncio
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import create_server
from threading import Thread

import pytest

from builtin_plugins.telemetry import tracing
from guildhall_sdk import Parameter, Plugin, Tool, hookimpl
from guildhall_sdk.services.models import Models, ModelTurn
from guildhall_sdk.services.server import Tracing

ROOT = Path(__file__).parents[3]
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{CALLER}-01"
QUESTION = "What is it that nobody may read?"
SPEC = {
    "slug": "asks",
    "start": "first",
    "steps": [
        {"name": "first", "kind": "tool", "tool": "ask_model", "with": {"prompt": QUESTION}},
        {"name": "second", "kind": "tool", "tool": "ask_model", "with": {"prompt": QUESTION}, "end": True},
    ],
}


class Asking:
    """A plugin with a tool that asks the model."""

    PLUGIN = Plugin("asking", "Asking", "1.0", "Asks.", requires=("ai",))

    async def ask(self, host, principal, arguments):
        turn = ModelTurn(messages=[{"role": "user", "content": arguments["prompt"]}])
        return (await host.service(Models).ask(principal, turn)).text

    @hookimpl
    def declare_tools(self):
        return [
            Tool(
                "ask_model", "Asks.", "chat:use", hosted=self.ask, parameters=[Parameter("prompt", "string")]
            )
        ]


class Collector:
    """Takes spans by OTLP over HTTP."""

    def __init__(self):
        self.spans = []
        self.services = set()
        self.raw = b""

    def take(self, path, body):
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        assert path == "/v1/traces"
        self.raw += body
        for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            told = {one.key: one.value.string_value for one in of_resource.resource.attributes}
            self.services.add(told["service.name"])
            for of_scope in of_resource.scope_spans:
                self.spans += of_scope.spans

    @contextmanager
    def open(self):
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                collector.take(self.path, self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            self.url = f"http://127.0.0.1:{server.server_port}"
            serving = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
            serving.start()
            yield self
            server.shutdown()
            serving.join()

    def named(self, name):
        return [one for one in self.spans if one.name == name]

    def of_trace(self, trace=TRACE):
        return {one.span_id: one for one in self.spans if one.trace_id.hex() == trace}


@pytest.fixture
def collector():
    with Collector().open() as opened:
        yield opened


async def ended_run(hall, headers=None):
    assert (await hall.acme.admin.post("/api/workflows", SPEC)).status_code == 201
    answer = await hall.acme.member.post("/api/workflows/asks/run", {}, headers=headers)
    assert answer.status_code == 202, answer.text
    await hall.drain_jobs()


async def flushed(hall):
    await asyncio.to_thread(hall.server.service(Tracing).flush)


async def test_one_trace_goes_from_the_request_through_job_and_step_to_the_model(open_hall, collector):
    async with open_hall(Asking(), with_model=True, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url) as hall:
        await ended_run(hall, {"traceparent": TRACEPARENT})
        await flushed(hall)
        spans = collector.of_trace()
        (request,) = collector.named("POST /api/workflows/:slug/run")
        assert request.parent_span_id.hex() == CALLER
        steps = [one for name in ("first", "second") for one in collector.named(f"step {name}")]
        models = collector.named("model scripted")
        assert len(steps) == len(models) == 2, [one.name for one in spans.values()]
        for one in (*steps, *models):
            above, chain = one, []
            while above is not request:
                above = spans[above.parent_span_id]
                chain.append(above.name)
            assert chain[-1] == request.name and any(name.startswith("job ") for name in chain), chain
        sent = [call.headers["traceparent"] for call in hall.model.calls]
        assert sent == [f"00-{TRACE}-{one.span_id.hex()}-01" for one in models]
        assert collector.services == {"guildhall"}


async def test_nothing_that_people_write_or_that_signs_in_is_in_a_span(open_hall, collector):
    async with open_hall(Asking(), with_model=True, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url) as hall:
        await ended_run(hall)
        await hall.acme.member.get(
            "/api/notes/note_secretword?q=secretword", headers={"x-word": "secretword"}
        )
        await hall.drain_jobs()
        await flushed(hall)
        assert collector.named("GET /api/notes/:id") and collector.named("step first")
        for word in ("nobody may read", "secretword", hall.acme.member.token, "sk-the-key"):
            assert word.encode() not in collector.raw


async def test_a_malformed_traceparent_begins_a_trace_of_its_own(open_hall, collector):
    async with open_hall(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url) as hall:
        for sent in ("nonsense", "00-" + "0" * 32 + "-" + CALLER + "-01", "x" * 5000):
            assert (
                await hall.acme.member.get("/api/whoami", headers={"traceparent": sent})
            ).status_code == 200
        await flushed(hall)
        spans = collector.named("GET /api/whoami")
        assert len({one.trace_id for one in spans}) == 3 and not any(one.parent_span_id for one in spans)


async def test_a_job_that_fails_and_a_request_that_fails_are_marked(open_hall, collector):
    async with open_hall(Asking(), with_model=True, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url) as hall:
        hall.model.fail(500)
        await ended_run(hall)
        await flushed(hall)
        (step, *_) = collector.named("step first")
        told = {one.key: one.value.string_value for one in step.attributes}
        assert step.status.code == 2 and told["error.type"] == "ModelUnavailable"


async def test_without_a_collector_nothing_is_traced(hall):
    assert hall.server.host.find_service(Tracing) is None
    assert (
        await hall.acme.member.get("/api/whoami", headers={"traceparent": TRACEPARENT})
    ).status_code == 200


async def test_a_collector_that_never_answers_keeps_nobody_waiting(open_hall, monkeypatch):
    monkeypatch.setattr(tracing, "_STOP_SECONDS", 0.2)
    with create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        async with open_hall(OTEL_EXPORTER_OTLP_ENDPOINT=url) as hall:
            assert (await hall.acme.member.get("/api/whoami")).status_code == 200


def test_a_server_that_traces_nothing_imports_nothing_of_it():
    """In a process of its own, as others of this one have imported it."""
    checked = (
        "import sys; from builtin_plugins import telemetry;"
        "from builtin_plugins.telemetry.tracing import tracing_of;"
        "host = type('Host', (), {'setting': lambda self, one: None})();"
        "assert tracing_of(host) is None;"
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", checked], cwd=ROOT, timeout=60).returncode == 0
