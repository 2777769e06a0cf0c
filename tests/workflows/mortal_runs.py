"""A server process that runs workflows until it is killed, or kills itself between two statements."""

import asyncio
import json
import os
import secrets
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from builtin_plugins.workflows.definitions import Definitions
from builtin_plugins.workflows.runs import walk
from builtin_plugins.workflows.runs.waits import Waits
from guildhall_sdk import Host, Plugin, Principal, Statement, Tool, Unavailable, Writer, hookimpl
from guildhall_sdk.services.identity import Credentials
from guildhall_sdk.services.workflows import Workflows
from kernel.boot import Server
from kernel.config import Settings
from kernel.db.scopes import ScopedWriter
from kernel.scheduler import completion, rescue
from kernel.scheduler.completion import CompletionWriter

RUNS, ITEMS = 2, 3
CALLS = "CREATE TABLE calls (number INTEGER PRIMARY KEY, place TEXT NOT NULL, token TEXT NOT NULL)"
_NOTE = (
    "INSERT INTO calls (number, place, token)"
    " SELECT COALESCE(MAX(number), 0) + 1, CAST(:place AS TEXT), CAST(:token AS TEXT) FROM calls"
)
_SOMEBODY = "SELECT teams.org_id, team_id, user_id FROM memberships JOIN teams ON teams.id = team_id LIMIT 1"
_LIVE = "SELECT COUNT(*) FROM jobs WHERE state IN ('scheduled', 'queued', 'running')"
_RUNNING = "SELECT COUNT(*) FROM runs WHERE state = 'running'"
FLOW: Mapping[str, Any] = {
    "slug": "mortal",
    "start": "a",
    "max_steps": 20,
    "steps": [
        {"name": "a", "kind": "tool", "tool": "note", "with": {"run": {"$from": "run.id"}, "step": "a"}},
        {
            "name": "m",
            "kind": "map",
            "over": list(range(ITEMS)),
            "tool": "note",
            "with": {
                "run": {"$from": "run.id"},
                "step": "m",
                "index": {"$from": "index"},
                "before": {"$from": "steps.a.output.result.token"},
            },
        },
        {"name": "fork", "kind": "choice", "when": {"present": 1}, "then": "z", "else": "a"},
        {
            "name": "z",
            "kind": "tool",
            "tool": "note",
            "with": {
                "run": {"$from": "run.id"},
                "step": "z",
                "before": {"$from": "steps.m.output.results"},
            },
        },
    ],
}
LONG: Mapping[str, Any] = {
    "slug": "long",
    "start": "m",
    "max_steps": 20_000,
    "inputs": {"list": {"type": "array"}},
    "steps": [
        {
            "name": "m",
            "kind": "map",
            "over": {"$from": "input.list"},
            "tool": "same",
            "with": {"value": {"$from": "item"}},
        }
    ],
}
INNER: Mapping[str, Any] = {
    "slug": "inner",
    "start": "in",
    "steps": [
        {"name": "in", "kind": "tool", "tool": "note", "with": {"run": {"$from": "run.id"}, "step": "in"}}
    ],
}
KINDS: Mapping[str, Any] = {
    "slug": "kinds",
    "start": "t",
    "max_steps": 20,
    "steps": [
        {"name": "t", "kind": "transform", "expression": "x", "with": {"x": 5}},
        {
            "name": "p",
            "kind": "parallel",
            "branches": [
                [
                    {
                        "name": "b",
                        "kind": "tool",
                        "tool": "note",
                        "with": {"run": {"$from": "run.id"}, "step": "b"},
                    },
                    {"name": "w", "kind": "wait", "seconds": 0.1},
                ],
                [{"name": "sub", "kind": "workflow", "slug": "inner"}],
            ],
        },
        {
            "name": "ask",
            "kind": "approve",
            "role": "viewer",
            "title": "t",
            "timeout_seconds": 1,
            "on_timeout": "approve",
        },
        {"name": "bad", "kind": "transform", "expression": "abs(@)", "with": "x", "catch": {"next": "z"}},
        {"name": "z", "kind": "tool", "tool": "note", "with": {"run": {"$from": "run.id"}, "step": "z"}},
    ],
}
_mouth: list[Connection] = []
_counted = 0
_ends_under_way = 0


def _statement(text: str) -> Statement:
    return Statement("of a test", text, text)


def say(*words: object) -> None:
    _mouth[0].send_bytes(" ".join(map(str, words)).encode())


async def note(host: Host, _: Principal, arguments: Mapping[str, Any]) -> Any:
    """Notes that it was called, and gives a token that no other call gives."""
    token = secrets.token_hex(8)
    place = "/".join(str(arguments.get(name, "")) for name in ("run", "step", "index"))
    while True:
        try:
            async with host.data.write() as writer:
                await writer.serialize("calls")
                await writer.run(_statement(_NOTE), place=place, token=token)
            break
        except Unavailable:  # a tool that fails is another matter than a database that is restarted
            await asyncio.sleep(0.05)
    say("called", place)
    return {"token": token, "before": arguments.get("before")}


async def give_back(_host: Host, _: Principal, arguments: Mapping[str, Any]) -> Any:
    return arguments["value"]


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return [
        Tool("note", "Notes.", "chat:use", hosted=note, schema={"type": "object"}),
        Tool("same", "Gives back.", "chat:use", hosted=give_back, schema={"type": "object"}),
    ]


def die_at(boundary: str) -> None:
    """Kills the process before so many statements, commits or answers of ends of jobs; it says so first.

    Or before the first statement of that name.
    """
    end_wait = Waits._end_one
    report_all, run, settle = CompletionWriter._report_all, ScopedWriter.all, ScopedWriter.settle

    def pass_boundary(place: str) -> None:
        global _counted
        if _ends_under_way:
            _counted += 1
            if boundary in (str(_counted), place):
                say("dies", place)
                os.kill(os.getpid(), signal.SIGKILL)

    async def dying_report(self: Any, reports: Any) -> Any:
        global _ends_under_way
        _ends_under_way += 1
        try:
            answers = await report_all(self, reports)
            pass_boundary("answer")
        finally:
            _ends_under_way -= 1
        return answers

    async def dying_wait(self: Any, row: Any) -> bool:
        global _ends_under_way
        _ends_under_way += 1
        try:
            return await end_wait(self, row)
        finally:
            _ends_under_way -= 1

    async def dying_all(self: Any, statement: Statement, **binds: Any) -> Any:
        pass_boundary(statement.name)
        return await run(self, statement, **binds)

    async def dying_settle(self: Any) -> None:
        await settle(self)
        pass_boundary("commit")

    Waits._end_one = dying_wait  # type: ignore[method-assign]
    CompletionWriter._report_all = dying_report  # type: ignore[method-assign]
    ScopedWriter.all = dying_all  # type: ignore[method-assign,assignment]
    ScopedWriter.settle = dying_settle  # type: ignore[method-assign]


def live(mouth: Connection, environment: dict[str, str]) -> None:
    """The whole life of a process; `DIES_AT` says where it ends."""
    _mouth[:] = [mouth]
    hurry_quietly()
    if boundary := os.environ.get("DIES_AT"):
        die_at(boundary)
    asyncio.run(_serve(Settings.from_environment(environment)))


def live_dying(boundary: int | str) -> Any:
    """Returns a life that ends there."""
    return Life(boundary)


class Life:
    """A life with runs of one workflow, which ends at a boundary if one is named."""

    def __init__(self, boundary: int | str = "", flow: str = "mortal") -> None:
        self.boundary = boundary
        self.flow = flow

    def __call__(self, mouth: Connection, environment: dict[str, str]) -> None:
        os.environ["DIES_AT"], os.environ["FLOW"] = str(self.boundary), self.flow
        live(mouth, environment)


def hurry_quietly() -> None:
    """Signs of life and their absence come faster; and no job is given up, however often its server dies."""
    rescue.SIGN_SECONDS, rescue.SILENT_MS = 0.4, 1_000
    completion._LAPSES_BEFORE_POISON = walk._SPARE_ATTEMPTS = 1_000
    # However often a job was lost, it is taken up soon.
    completion.LONGEST_WAIT_MS = 200


def live_mapping(mouth: Connection, environment: dict[str, str]) -> None:
    """A life of one long map: says by how many KiB the process has grown at most."""
    _mouth[:] = [mouth]
    asyncio.run(_serve_map(Settings.from_environment(environment), int(os.environ["ITEMS"])))


class LongMap:
    """The life of a map of so many items."""

    def __init__(self, items: int) -> None:
        self.items = items

    def __call__(self, mouth: Connection, environment: dict[str, str]) -> None:
        os.environ["ITEMS"] = str(self.items)
        live_mapping(mouth, environment)


def _memory(which: str) -> int:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which))


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", "ascii")


async def _serve_map(settings: Settings, items: int) -> None:
    server = Server(settings, extra_plugins=[_plugin()])
    await server.start()
    for many in (50, items):
        before = _memory("VmRSS")
        _forget_peak()
        async with server.data.write() as writer:
            who = await _somebody(server, writer)
            await Definitions(server.host_of("workflows"))._add(writer, who.org_id, who.team_id, LONG, 1)
            numbers = list(range(many))
            run = await server.service(Workflows).start(writer, who, "long", {"list": numbers})
        while not await _is_over(server, run.id):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    grown = _memory("VmHWM") - before
    output = _statement("SELECT output FROM run_steps WHERE run_id = :id")
    async with server.data.read() as reader:
        results = json.loads(await reader.value(output, id=run.id))["results"]
    assert [one["result"] for one in results] == numbers
    await server.stop()
    say("grown", grown)


async def _is_over(server: Server, run_id: str) -> bool:
    async with server.data.read() as reader:
        state = await reader.value(_statement("SELECT state FROM runs WHERE id = :id"), id=run_id)
    return bool(state != "running")


async def _somebody(server: Server, writer: Writer) -> Principal:
    somebody = await writer.one(_statement(_SOMEBODY))
    assert somebody is not None
    who = await server.service(Credentials).acting(
        writer, user_id=somebody["user_id"], team_id=somebody["team_id"], scope=None
    )
    assert who is not None
    return who


async def _start_runs(server: Server, writer: Writer) -> None:
    who = await _somebody(server, writer)
    for flow in (FLOW, INNER, KINDS):
        await Definitions(server.host_of("workflows"))._add(writer, who.org_id, who.team_id, flow, 1)
    for _ in range(RUNS):
        await server.service(Workflows).start(writer, who, os.environ.get("FLOW", "mortal"), {})


def _plugin() -> Any:
    return SimpleNamespace(
        PLUGIN=Plugin("mortal", "Mortal", "1.0", "For tests."), declare_tools=declare_tools
    )


async def _serve(settings: Settings) -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    server = Server(settings, extra_plugins=[_plugin()])
    await server.start()
    async with server.data.write() as writer:
        await writer.serialize("the first")
        if not await writer.value(_statement(_RUNNING)):
            await _start_runs(server, writer)
    say("ready")
    while not stopping.is_set():
        with suppress(Unavailable):
            async with server.data.read() as reader:
                live = await reader.value(_statement(_LIVE))
                running = await reader.value(_statement(_RUNNING))
            if not live and not running:
                say("idle")
        try:
            async with asyncio.timeout(0.05):
                await stopping.wait()
        except TimeoutError:
            continue
    await server.stop()
    say("stopped", _counted)
