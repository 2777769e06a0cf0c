"""What is checked out against another revision of it: `python -m bench against REVISION`.

Each is installed in an environment of its own, with the dependencies that are here, and asked through the
front door: what a request costs in CPU, how much memory it holds, how soon it answers.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from bench.guildhall import OURS as OUR_PROGRAM
from bench.guildhall import found, guildhall
from bench.loads import Client, client
from bench.object_stores import Store, issued_store
from bench.peers import PATH, is_installed, without_uvloop
from bench.pull_workers import pulling_workers
from bench.report import Aim, Report
from bench.revisions import APART, install, working_revision
from bench.rounds import take_turns
from bench.servers import Server, get, post
from bench.stream_peers import STREAM_PATH, endpoint
from bench.subjects.startup import AGAINST, Start, start_of_imports, start_of_server

NAME = "against"
ROUNDS, START_ROUNDS = 21, 9
STARTED_ANEW = 3
REQUESTS, WARM_UP = 20, 10
OBJECT = 4 * 1024
CONNECTIONS = 4
NO_WORSE, BETTER = Aim(1.05), Aim(1.0, strictly=True)
MEMORY, START = Aim(1.1), Aim(2.0)
OURS = "ours"
NOTE = {"title": "Arrivals", "body": "Two ships came in with the tide; the third waits off the bar."}
TURN = {"prompt": "go on", "max_tokens": 10}
AIMS = {
    "CPU of GET /api/whoami": BETTER,
    "CPU of GET /api/notes": NO_WORSE,
    "CPU of POST /api/notes": BETTER,
    "CPU of a job asked for, claimed and ended": NO_WORSE,
    "CPU of a chat turn of 10 tokens": NO_WORSE,
    "CPU of an S3 PUT of 4 KiB": NO_WORSE,
    "CPU of an S3 GET of 4 KiB": NO_WORSE,
}

Works = dict[str, Callable[[], float]]
_numbers = count()
_KEPT = [f"kept/{number}" for number in range(REQUESTS)]


def run(report: Report, revision: str) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        programs = {
            OURS: install(working_revision(), folder / "ours"),
            revision: install(revision, folder / "theirs"),
        }
        comparison = Comparison(report, revision, programs)
        comparison.of_starts(folder / "starts")
        comparison.of_works(folder / "as they come", "", APART)
        if is_installed("uvloop"):
            comparison.of_works(folder / "plain", ", neither with uvloop", without_uvloop(folder))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two revisions by the name of each: ours, and the one that was asked for."""

    report: Report
    revision: str
    programs: Mapping[str, Path]

    def of_starts(self, folder: Path) -> None:
        """Of folders that are set up already."""
        _made(folder)
        bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode"), **APART}
        turns: dict[str, Callable[[], Start]] = {AGAINST: partial(start_of_imports, bytecode)}
        turns[AGAINST]()
        for number, (name, program) in enumerate(self.programs.items()):
            data = folder / str(number)
            with guildhall(data, None, 1, program, **bytecode) as server:
                found(server)
            turns[name] = partial(start_of_server, data, bytecode, program)
        starts = take_turns(turns, START_ROUNDS)
        cpu = {name: [start.cpu_ms for start in series] for name, series in starts.items()}
        self._compare("CPU of a start", cpu, None, "ms of CPU")
        for name, aim in ((OURS, START), (self.revision, None)):
            self.report.compare(NAME, f"CPU of a start, {name}", cpu[name], AGAINST, cpu[AGAINST], aim)

    def of_works(self, folder: Path, how: str, settings: Mapping[str, str]) -> None:
        """Of several processes each: how one lies in memory makes a few hundredths while it lives."""
        taken: dict[str, dict[str, list[float]]] = {}
        with endpoint(_made(folder)) as model:
            settings = {
                "SERVICE_MODEL_URL": f"http://127.0.0.1:{model.port}/v1",
                "SERVICE_MODEL_NAME": "m",
                **settings,
            }
            for number in range(STARTED_ANEW):
                for what, each in self._measured(_made(folder / str(number)), settings).items():
                    for name, series in each.items():
                        taken.setdefault(what, {}).setdefault(name, []).extend(series)
        for what, each in taken.items():
            of_memory = what.startswith("memory")
            self._compare(
                f"{what}{how}",
                each,
                MEMORY if of_memory else AIMS[what],
                "MiB" if of_memory else "µs of CPU",
            )

    def _measured(self, folder: Path, settings: Mapping[str, str]) -> dict[str, dict[str, list[float]]]:
        """Returns the readings of each kind, of one process for each revision."""
        with ExitStack() as stack:
            servers, works_of = {}, {}
            for number, (name, program) in enumerate(self.programs.items()):
                serving = prepared_server(folder / str(number), settings, program)
                servers[name], token = stack.enter_context(serving)
                works_of[name] = works(stack, servers[name], token)
            found = {"memory after the start": _memory(servers)}
            for each in works_of.values():
                for _ in range(WARM_UP):
                    for work in each.values():
                        work()
            for what in AIMS:
                found[what] = take_turns({name: each[what] for name, each in works_of.items()}, ROUNDS)
            found["memory after all that"] = _memory(servers)
            return found

    def _compare(self, what: str, taken: Mapping[str, Sequence[float]], aim: Aim | None, unit: str) -> None:
        self.report.compare(NAME, what, taken[OURS], self.revision, taken[self.revision], aim)
        for name, series in taken.items():
            self.report.reading(NAME, f"{what}, {name}", series, unit)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _memory(servers: Mapping[str, Server]) -> dict[str, list[float]]:
    return {name: [server.resident_mib()] for name, server in servers.items()}


@contextmanager
def prepared_server(
    data: Path, settings: Mapping[str, str], program: Path = OUR_PROGRAM
) -> Iterator[tuple[Server, str]]:
    """Yields a server that is started anew, because setting it up takes memory once, and a token."""
    with guildhall(data, None, 1, program, **settings) as server:
        token = found(server).token
        limit = {"dimension": "ai.concurrency", "limit": None, "window": "none"}
        server.ask("POST", "/api/quota", limit, token)
    with guildhall(data, None, 1, program, **settings) as server:
        yield server, token


def works(stack: ExitStack, server: Server, token: str) -> Works:
    """Returns what is asked of a server, by name: each call asks a few times and returns what one cost."""

    def asking(request: bytes, connections: int = 1, port: int | None = None) -> Client:
        return stack.enter_context(client(server, request, connections, port))

    store = issued_store(server, token)
    objects = asking(b"", 1, store.port)
    worker = server.ask("POST", "/api/executors", {"name": "worker", "mode": "pull"}, token)["worker_token"]
    pull = stack.enter_context(pulling_workers(server, [worker], token))
    _put(store, objects, _KEPT)
    return {
        "CPU of GET /api/whoami": partial(_repeated, asking(get(PATH, token), CONNECTIONS)),
        "CPU of GET /api/notes": partial(_repeated, asking(get("/api/notes", token))),
        "CPU of POST /api/notes": partial(_repeated, asking(post("/api/notes", NOTE, token))),
        "CPU of a job asked for, claimed and ended": partial(_pulled, server, pull),
        "CPU of a chat turn of 10 tokens": partial(
            _repeated, asking(post(STREAM_PATH, TURN, token), CONNECTIONS)
        ),
        "CPU of an S3 PUT of 4 KiB": partial(_put, store, objects),
        "CPU of an S3 GET of 4 KiB": partial(_get, store, objects),
    }


def _repeated(asking: Client) -> float:
    return asking.load(REQUESTS).cpu_us


def _pulled(server: Server, pull: Callable[[int], float]) -> float:
    before = server.cpu_seconds()
    pull(REQUESTS)
    return (server.cpu_seconds() - before) / REQUESTS * 1e6


def _put(store: Store, asking: Client, keys: Sequence[str] = ()) -> float:
    """Under keys and with bytes that were not there before."""
    keys = keys or [f"new/{next(_numbers)}" for _ in range(REQUESTS)]
    return asking.load_each([store.signed("PUT", key, os.urandom(OBJECT)) for key in keys]).cpu_us


def _get(store: Store, asking: Client) -> float:
    return asking.load_each([store.signed("GET", key) for key in _KEPT]).cpu_us
