"""Real ids for the conformance tests: jobs that are not due for long, so that nothing happens to them."""

from guildhall_sdk import Factory, SampleClient

_FAR_OFF = "2100-01-01T00:00:00Z"


async def make_job(client: SampleClient, canary: str) -> str:
    return await _queue(client, "x.example-tools.word-count", {"text": canary})


async def make_remote_job(client: SampleClient, canary: str) -> str:
    return await _queue(client, "x.integrator-demo.lane-report", {"lane": canary})


async def _queue(client: SampleClient, kind: str, payload: dict[str, str]) -> str:
    body = {"kind": kind, "payload": payload, "run_at": _FAR_OFF}
    _, answer = await client.call("POST", "/api/jobs", body)
    return str(answer["id"])


FACTORIES = (Factory("/api/jobs/:id", make_job), Factory("/api/workers/jobs/:id", make_remote_job))
