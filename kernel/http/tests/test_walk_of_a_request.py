"""What somebody reads who follows one request from its first byte to its answer: functions, files, rooms.

`pytest -s` prints them, in the order in which the request comes through.
"""

import asyncio
import itertools
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import botocore.auth
import httpx
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from guildhall_sdk.subscriptions import Events

pytestmark = pytest.mark.hall_databases("sqlite")

ROOT = Path(__file__).parents[3]
OURS = ("kernel/", "libs/", "sdk/", "builtin_plugins/", "plugins/")
# Every request comes through here: so the tasks that serve it are told from those that work beside it.
ENTRANCES = {"libs/listener/protocol.py", "kernel/http/pipeline.py"}


@dataclass(frozen=True)
class Walk:
    """How many functions of ours a request calls, in how many files, and how often it changes rooms.

    A room is a package of the kernel, a plugin, a library, or the SDK.
    """

    functions: int
    files: int
    changes: int

    def fits(self, most):
        return self.functions <= most.functions and self.files <= most.files and self.changes <= most.changes


# The aims of the design, and less where less is taken. The shortest of some is without what is a matter of
# timing: whether a writer's thread is idle by now (two functions, four changes of room), a new second for the
# log (two and two). Of a note some fifteen are of what hears of it since: steps that wait for it, passages
# that are made of it, and the team's storage.
MOST_OF_A_NOTE = Walk(functions=150, files=32, changes=60)
MOST_OF_A_PUT = Walk(functions=220, files=45, changes=80)
MOST_OF_A_TURN = Walk(functions=102, files=27, changes=44)


def _is_for_tests(frame):
    """Tells whether a function is of the test tools, or was called by one: they judge each answer."""
    while frame is not None and "/guildhall_testing/" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


def _room(path):
    """Returns the package that a file is of, such as `kernel/http`, `builtin_plugins/notes` or `sdk`."""
    top, name, *_ = path.split("/")
    return top if top == "sdk" else f"{top}/{name.removesuffix('.py')}"


class CalledFunctions:
    """The functions that each task calls on this thread, in their order."""

    def __init__(self):
        self._by_task = {}
        self._entered = set()

    @contextmanager
    def traced(self):
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame, event, _argument):
        path = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
        # A coroutine that goes on after a wait is no new call.
        is_new = event == "call" and path.startswith(OURS) and frame not in self._entered
        if is_new and not _is_for_tests(frame):
            self._entered.add(frame)
            task = asyncio.current_task()
            self._by_task.setdefault(task, []).append((path, frame.f_code.co_qualname))

    def of_the_request(self):
        called = [calls for calls in self._by_task.values() if ENTRANCES & {path for path, _ in calls}]
        return [call for calls in called for call in calls]


def _changes(calls):
    rooms = [_room(path) for path, _ in calls]
    return sum(before != after for before, after in itertools.pairwise(rooms))


def _lines(calls):
    """Yields a line for each call; a star stands before what begins another room."""
    room = None
    for path, name in calls:
        before, room = room, _room(path)
        yield f"{' ' if room == before else '*'} {room} {Path(path).name} {name}"


@pytest.fixture
def walk_of():
    """`await walk_of(send)`: the shortest of some; the first prepare, and any may meet other work."""

    async def walk_of(send):
        tried = []
        for _ in range(10):
            called = CalledFunctions()
            with called.traced():
                assert (await send()).is_success
            tried.append(called.of_the_request())
        calls = min(tried, key=_changes)
        walk = Walk(
            functions=min(len(set(one)) for one in tried),
            files=min(len({path for path, _ in one}) for one in tried),
            changes=_changes(calls),
        )
        print(walk, *_lines(calls), sep="\n")  # noqa: T201
        return walk

    return walk_of


@pytest.fixture
def hall(hall):
    """The hall without its log of all events, which makes the server record those that nobody wants."""
    events = hall.server.service(Events)
    del events.wanted, events.emit_deep
    return hall


async def test_a_note_that_is_written_takes_a_short_walk(hall, walk_of):
    walk = await walk_of(lambda: hall.acme.member.post("/api/notes", {"title": "One", "body": "Two"}))
    assert walk.fits(MOST_OF_A_NOTE)


async def test_a_turn_of_a_chat_takes_a_short_walk(hall, walk_of):
    said = {"prompt": "Hello"}
    walk = await walk_of(lambda: hall.acme.member.post("/api/ai/chat", said))
    assert walk.fits(MOST_OF_A_TURN)


async def test_an_object_that_is_put_by_s3_takes_a_short_walk(hall, walk_of, monkeypatch):
    key = (await hall.acme.owner.post("/api/s3/credentials", {})).json()
    signer = botocore.auth.S3SigV4Auth(
        Credentials(key["access_key_id"], key["secret_access_key"]), "s3", "local"
    )

    def now(**_):
        return datetime.fromtimestamp(hall.clock.now_ms() / 1000, UTC).replace(tzinfo=None)

    monkeypatch.setattr(botocore.auth, "get_current_datetime", now)

    async def put():
        request = AWSRequest("PUT", f"{hall.addresses['s3']}/{key['bucket']}/small.txt", {}, b"some bytes")
        signer.add_auth(request)
        return await client.put(request.url, content=request.data, headers=dict(request.headers))

    async with httpx.AsyncClient(verify=False, trust_env=False) as client:
        walk = await walk_of(put)
    assert walk.fits(MOST_OF_A_PUT)
