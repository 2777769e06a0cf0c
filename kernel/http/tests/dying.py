"""A server in a process of its own whose route kills it, at its commit or before: says where it listens."""

import asyncio
import os
import signal
import sys
from types import SimpleNamespace

from guildhall_sdk import NewJob, Plugin, Route, hookimpl
from guildhall_sdk.replies import accepted
from guildhall_sdk.schema import enum, obj
from guildhall_sdk.services.jobs import Jobs
from kernel import boot
from kernel.config import Settings
from kernel.http import idempotency
from kernel.listening import bound_socket, listen

KIND = "x.integrator-demo.lane-report"


def die():
    os.kill(os.getpid(), signal.SIGKILL)


async def act(call):
    """Queues a job; in its first life the process dies where the body says."""
    first_life, at = os.environ.get("DIES") == "yes", call.body["at"]
    who = call.principal
    async with call.write() as writer:
        if first_life and at == "before":
            die()
        new = NewJob(KIND, who.org_id, who.team_id, who.user_id, {"lane": "hamburg-shanghai"})
        job = await call.service(Jobs).enqueue(writer, new)
        if first_life and at == "commit":
            writer.after_commit(die)
    return accepted({"id": job.id}, f"/api/jobs/{job.id}")


@hookimpl
def declare_routes():
    body = obj({"at": enum("before", "commit")}, required=["at"], example={"at": "commit"})
    return [Route("POST", "/api/dying", "act", "Act", status=202, body=body)]


@hookimpl
def declare_handlers():
    return {"act": act}


async def serve():
    idempotency.LEASE_SECONDS = 1.0
    plugin = SimpleNamespace(
        PLUGIN=Plugin("dying", "Dying", "1.0", "For tests."),
        declare_routes=declare_routes,
        declare_handlers=declare_handlers,
    )
    server = boot.Server(Settings.from_environment(os.environ), extra_plugins=[plugin])
    await server.start()
    listener = bound_socket("127.0.0.1:0")
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    await listen(server.app, listener, asyncio.Event())


if __name__ == "__main__":
    asyncio.run(serve())
