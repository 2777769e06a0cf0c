"""`guildhall serve --workers N`: several processes behind one address, and one that looks after them."""

import asyncio
import json
import os
import resource
import signal
import sys
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from tests import commands
from tests.process.conftest import ready_says
from tests.process.test_stopping import KeptAlive
from tests.processes import free_port

pytestmark = pytest.mark.hall_databases("postgresql")

TWO, THREE = ("--workers", "2"), ("--workers", "3")
KIND = "x.clinging.hold"
# Its first attempt never ends; whoever takes it up says which process it is.
CLINGING = """
import asyncio
import os
from pathlib import Path
from guildhall_sdk import JobKind, hookimpl

async def hold(job):
    if job.attempt == 1:
        Path(job.payload["file"]).write_text(str(os.getpid()))
        await asyncio.Event().wait()
    return {"pid": os.getpid()}

@hookimpl
def declare_job_kinds():
    return [JobKind("x.clinging.hold", "Clings to its process", handler=hold)]
"""

# Its first attempt holds the event loop itself, and with it whoever asks the process for anything.
BLOCKING = CLINGING.replace("await asyncio.Event().wait()", "threading.Event().wait()").replace(
    "import os", "import os\nimport threading", 1
)


async def until(condition, seconds=60):
    """Waits for what happens in other processes."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - other processes
            await asyncio.sleep(0.01)


def pids(server) -> list[int]:
    """The processes that serve now, by the log."""
    ended = {line["pid"] for line in server.logged("process.ended")}
    return [line["pid"] for line in server.logged("process.started") if line["pid"] not in ended]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Writing:
    """Writes notes one after the other, each once; an answer that never came may be of a note or of none."""

    def __init__(self, http: httpx.AsyncClient, name: str) -> None:
        self._http, self._name = http, name
        self.acknowledged: list[str] = []
        self.unanswered = 0

    async def go_on(self, enough: asyncio.Event) -> None:
        number = 0
        while not enough.is_set():
            number += 1
            try:
                answer = await self._http.post("/api/notes", json={"title": f"{self._name} {number}"})
            except httpx.TransportError:
                self.unanswered += 1
                continue
            assert answer.status_code == 201, answer.text
            self.acknowledged.append(answer.json()["title"])


async def titles(http) -> list[str]:
    found, path = [], "/api/notes?limit=200"
    while path:
        page = (await http.get(path)).json()
        found += [item["title"] for item in page["items"]]
        cursor = page["next_cursor"]
        path = f"/api/notes?limit=200&cursor={cursor}" if cursor else None
    return found


async def test_a_killed_process_costs_its_own_requests_alone_and_is_replaced(
    serve, bearer, plugin_folder, tmp_path
):
    plugins = plugin_folder("clinging", CLINGING)
    async with serve(options=THREE, SERVICE_PLUGINS=plugins, SERVICE_DRAIN_SECONDS="4") as server:
        await until(lambda: len(pids(server)) == 3)
        member, enough = server.people.acme.team.people["member"], asyncio.Event()
        async with bearer(server, member) as http:
            job = await http.post(
                "/api/jobs", json={"kind": KIND, "payload": {"file": str(tmp_path / "pid")}}
            )
            assert job.status_code == 202, job.text
            writers = [Writing(http, f"w{number}") for number in range(6)]
            writing = [asyncio.create_task(one.go_on(enough)) for one in writers]
            await until(
                lambda: (tmp_path / "pid").exists() and min(len(one.acknowledged) for one in writers) > 3
            )
            holder = int((tmp_path / "pid").read_text())
            assert holder in pids(server)

            os.kill(holder, signal.SIGKILL)
            before = [len(one.acknowledged) for one in writers]
            await until(
                lambda: all(len(one.acknowledged) > n + 3 for one, n in zip(writers, before, strict=True))
            )
            enough.set()
            await asyncio.gather(*writing)
            taken_up = (await http.get(f"/api/jobs/{job.json()['id']}?wait=30")).json()
            assert (taken_up["state"], taken_up["attempt"]) == ("succeeded", 2)
            assert taken_up["result"]["pid"] != holder

            (ended,) = server.logged("process.ended")
            assert (ended["pid"], ended["signal"], ended["next_in_seconds"]) == (holder, "SIGKILL", 0.5)
            await until(lambda: len(pids(server)) == 3)
            acknowledged = [title for one in writers for title in one.acknowledged]
            found = await titles(http)
            assert len(found) == len(set(found)) and set(acknowledged) <= set(found)
            unanswered = sum(one.unanswered for one in writers)
            assert unanswered <= len(writers)  # each had at most one request with the process that was killed
            assert len(found) - len(acknowledged) <= unanswered

        await nobody_is_cut_off_by_a_stop(server, member)


async def nobody_is_cut_off_by_a_stop(server, member):
    processes = pids(server)
    callers = [
        *(KeptAlive(server.base_url, "/api/whoami", member.token) for _ in range(6)),
        *(KeptAlive(server.s3_url, "/") for _ in range(3)),
    ]
    asking = [asyncio.create_task(caller.ask_until_refused()) for caller in callers]
    await asyncio.gather(*(caller.begun.wait() for caller in callers))
    # As systemd does it: everybody in the group is told.
    server.signal(signal.SIGTERM)
    for pid in processes:
        os.kill(pid, signal.SIGTERM)
    await asyncio.gather(*asking)
    assert await server.exit_code() == 0
    assert [caller.lost for caller in callers] == [0] * len(callers)
    assert (server.errors, server.logged("drain.cut")) == ([], [])
    assert not any(map(is_alive, processes))


async def test_the_processes_end_with_their_supervisor(serve):
    async with serve(options=TWO) as server:
        await until(lambda: len(pids(server)) == 2)
        processes = pids(server)
        assert (await ready_says(server, 200)).json() == {"ready": True}
        server.signal(signal.SIGKILL)
        await server.exit_code()
        await until(lambda: not any(map(is_alive, processes)))
        assert len(server.logged("supervisor.lost")) == 2


async def test_a_second_signal_does_not_wait(serve):
    async with serve(options=TWO, SERVICE_DRAIN_SECONDS="600") as server:
        await until(lambda: len(pids(server)) == 2)
        _, writer = await asyncio.open_connection(*server.address)
        writer.write(b"POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        server.signal(signal.SIGINT)
        await ready_says(server, 503)
        server.signal(signal.SIGINT)
        assert await server.exit_code() == 0
        writer.close()


@pytest.mark.long_form
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits the files of another process")
async def test_what_the_system_has_no_room_for_is_started_later_and_a_third_signal_kills_what_hangs(serve):
    async with serve(options=TWO) as server:
        await until(lambda: len(pids(server)) == 2)
        unnamed, hanging = pids(server)
        _, most = files = resource.prlimit(server.running.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.running.pid, resource.RLIMIT_NOFILE, (3, most))
        os.kill(unnamed, signal.SIGRTMIN + 1)
        await until(lambda: server.logged("process.not_started"))
        (ended,) = server.logged("process.ended")
        assert (ended["pid"], ended["signal"]) == (unnamed, f"signal {signal.SIGRTMIN + 1}")
        resource.prlimit(server.running.pid, resource.RLIMIT_NOFILE, files)
        await until(lambda: len(pids(server)) == 2)

        os.kill(hanging, signal.SIGSTOP)
        try:
            for signals in range(1, 4):
                server.signal(signal.SIGHUP)
                await until(lambda heard=signals: len(server.logged("supervisor.stopping")) == heard)
            assert await server.exit_code() == 128 + signal.SIGKILL
            assert hanging in [line["pid"] for line in server.logged("process.killed")]
        finally:
            with suppress(ProcessLookupError):
                os.kill(hanging, signal.SIGKILL)


@pytest.mark.long_form
async def test_a_process_whose_event_loop_stands_still_is_killed_and_replaced(
    serve, bearer, plugin_folder, tmp_path
):
    plugins = plugin_folder("clinging", BLOCKING)
    settings = {"SERVICE_PLUGINS": plugins, "SERVICE_HANG_SECONDS": "6", "SERVICE_DRAIN_SECONDS": "4"}
    async with serve(options=TWO, **settings) as server:
        await until(lambda: len(pids(server)) == 2)
        async with bearer(server, server.people.acme.team.people["member"]) as http:
            payload = {"file": str(tmp_path / "pid")}
            job = (await http.post("/api/jobs", json={"kind": KIND, "payload": payload})).json()
            await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
            hanging = int((tmp_path / "pid").read_text())
            await until(lambda: server.logged("process.ended"))
            (killed,), (ended,) = server.logged("process.hangs"), server.logged("process.ended")
            assert (killed["pid"], killed["seconds"]) == (hanging, 6)
            assert (ended["pid"], ended["signal"]) == (hanging, "SIGKILL")
            await until(lambda: len(pids(server)) == 2)
            taken_up = (await http.get(f"/api/jobs/{job['id']}?wait=30")).json()
            assert (taken_up["state"], taken_up["attempt"]) == ("succeeded", 2)
        server.signal()
        assert await server.exit_code() == 0
        assert len(server.logged("process.hangs")) == 1


@asynccontextmanager
async def supervised(*arguments):
    """A supervisor of small processes that hang as they start; yields it and what it has logged so far."""
    running = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.process.slow_starts", *map(str, arguments)),
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    lines = []

    async def read():
        async for line in running.stderr:
            lines.append(json.loads(line))

    reading = asyncio.create_task(read())
    try:
        yield running, lambda action: [line for line in lines if line["action"] == action]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        await running.wait()
        await reading


@pytest.mark.long_form
async def test_a_process_that_does_not_come_to_serve_is_killed_and_replaced_after_a_pause(tmp_path):
    async with supervised(tmp_path) as (running, logged):
        await until(lambda: len(logged("process.started")) == 3)
        hung = sorted(int(path.read_text()) for path in tmp_path.iterdir())
        assert sorted(line["pid"] for line in logged("process.does_not_start")) == hung
        ended = logged("process.ended")
        assert sorted(line["pid"] for line in ended) == hung
        assert [line["next_in_seconds"] for line in ended] == [0.5, 1.0, 2.0]
        running.terminate()
        assert await running.wait() == 0


async def test_the_first_process_may_take_its_time_and_the_log_says_so_once(tmp_path):
    async with supervised(tmp_path, "first") as (running, logged):
        await until(lambda: logged("process.still_starting"))
        (starting,) = tmp_path.iterdir()
        assert is_alive(int(starting.read_text()))
        running.terminate()
        await until(lambda: logged("supervisor.stopping"))
        assert (len(logged("process.still_starting")), logged("process.does_not_start")) == (1, [])
        assert logged("process.ended") == []


@pytest.mark.hall_databases("sqlite")
async def test_what_cannot_start_is_not_started_again(serve, tmp_path):
    url = f"postgresql://nobody@/nothing?host={tmp_path}"
    async with serve(until_started=False, options=THREE, SERVICE_DATABASE_URL=url) as server:
        assert await server.exit_code() == 2
    assert "cannot be reached" in "".join(server.errors)
    assert server.logged("process.ended") == []


@pytest.mark.hall_databases("sqlite")
def test_on_sqlite_it_is_refused_with_the_reason_and_the_remedy(tmp_path):
    environ = commands.bare_environment(SERVICE_DATA=str(tmp_path), SERVICE_BIND=f"127.0.0.1:{free_port()}")
    refused = commands.run(environ, ["serve", "--workers", "2"])
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "guildhall: --workers 2 needs PostgreSQL: one process owns the file of SQLite. "
        "Set SERVICE_DATABASE_URL to postgresql://…, or leave --workers out\n"
    )
    assert list(tmp_path.iterdir()) == []
