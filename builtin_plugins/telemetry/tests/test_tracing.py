"""A trace of one request: through its job, its steps and the model, at a collector on loopback."""

import asyncio
from contextlib import asynccontextmanager

import pytest_asyncio

from guildhall_sdk.services.server import Tracing
from guildhall_testing.model import ScriptedModel
from kernel.listening import bound_socket, listen
from libs.listener import Drain

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{CALLER}-01"
SPEC = {
    "slug": "asks",
    "name": "Asks",
    "steps": [
        {"name": "first", "tool": "ai_chat", "args": {"prompt": "hello"}},
        {"name": "second", "tool": "ai_chat", "args": {"prompt": "{{steps.first.result.text}}"}},
    ],
}


class Collector:
    """Takes spans by OTLP over HTTP."""

    def __init__(self):
        self._socket = bound_socket("127.0.0.1:0")
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.spans = []
        self.services = set()
        self.raw = b""

    async def _serve(self, scope, receive, send):
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        assert scope["path"] == "/v1/traces"
        if dict(scope["headers"]).get(b"content-encoding") == b"gzip":
            import gzip

            body = gzip.decompress(body)
        self.raw += body
        for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            told = {one.key: one.value.string_value for one in of_resource.resource.attributes}
            self.services.add(told["service.name"])
            for of_scope in of_resource.scope_spans:
                self.spans += of_scope.spans
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    @asynccontextmanager
    async def open(self):
        stopping = asyncio.Event()
        serving = asyncio.create_task(
            listen(self._serve, self._socket, stopping, drain=Drain(at_once=stopping))
        )
        try:
            yield self
        finally:
            stopping.set()
            await serving

    def named(self, name):
        return [one for one in self.spans if one.name == name]

    def of_trace(self, trace=TRACE):
        return {one.span_id: one for one in self.spans if one.trace_id.hex() == trace}


@pytest_asyncio.fixture(loop_scope="session")
async def collector():
    async with Collector().open() as opened:
        yield opened


async def flushed(hall):
    await asyncio.to_thread(hall.server.service(Tracing).flush)


async def test_one_trace_goes_from_the_request_through_job_and_step_to_the_model(open_hall, collector):
    async with open_hall(with_model=True, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url) as hall:
        await hall.acme.admin.call("POST", "/api/workflows", SPEC)
        await hall.acme.member.call("POST", "/api/workflows/asks/run", {}, traceparent=TRACEPARENT)
        await hall.drain_jobs()
        await flushed(hall)
        spans = collector.of_trace()
        (request,) = collector.named("POST /api/workflows/:slug/run")
        assert request.parent_span_id.hex() == CALLER
        steps = [one for name in ("first", "second") for one in collector.named(f"step {name}")]
        models = collector.named("model scripted")
        assert len(steps) == len(models) == 2
        for one in (*steps, *models):
            above, chain = one, []
            while above is not request:
                above = spans[above.parent_span_id]
                chain.append(above.name)
            assert chain[-1] == request.name and any(name.startswith("job ") for name in chain), chain
        sent = [call.headers["traceparent"] for call in hall.model.calls]
        assert sent == [f"00-{TRACE}-{one.span_id.hex()}-01" for one in models]
        assert collector.services == {"guildhall"}
