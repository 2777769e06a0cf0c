"""How many files of ours somebody opens who follows one request from its first byte to its answer.

`pytest -s` prints them, in the order in which the request comes through.
"""

import asyncio
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import botocore.auth
import httpx
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

pytestmark = pytest.mark.hall_databases("sqlite")

ROOT = Path(__file__).parents[2]
OURS = ("kernel/", "libs/", "sdk/", "builtin_plugins/", "plugins/")
# Every request comes through here: so the tasks that serve it are told from those that work beside it.
ENTRANCES = {"libs/listener/protocol.py", "kernel/http/app.py"}

# Lower them with what leaves the way; the aims are 35 and 50.
MAX_FILES_OF_A_NOTE = 50
MAX_FILES_OF_A_PUT = 74


def _is_for_tests(frame):
    """Tells whether a function is of the test tools, or was called by one: they judge each answer."""
    while frame is not None and "/testing/" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None


class CalledFiles:
    """The files whose functions each task calls on this thread, in the order of their first call."""

    def __init__(self):
        self._by_task = {}

    @contextmanager
    def traced(self):
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame, event, _argument):
        path = frame.f_code.co_filename.removeprefix(f"{ROOT}/")
        if event == "call" and path.startswith(OURS) and not _is_for_tests(frame):
            task = asyncio.current_task()
            self._by_task.setdefault(task, {}).setdefault(path)

    def of_the_request(self):
        tasks = [files for files in self._by_task.values() if ENTRANCES & files.keys()]
        return [*dict.fromkeys(path for files in tasks for path in files)]


@pytest.fixture
def files_of():
    """`await files_of(send)`: those of the plainest of some requests; the first ones import and prepare."""

    async def files_of(send):
        tried = []
        for _ in range(6):
            called = CalledFiles()
            with called.traced():
                assert (await send()).is_success
            tried.append(called.of_the_request())
        files = min(tried, key=len)
        print(f"{len(files)} files:", *files, sep="\n  ")  # noqa: T201
        return files

    return files_of


async def test_a_note_that_is_written_comes_through_few_files(hall, files_of):
    files = await files_of(lambda: hall.acme.member.post("/api/notes", {"title": "One", "body": "Two"}))
    assert len(files) <= MAX_FILES_OF_A_NOTE


async def test_an_object_that_is_put_by_s3_comes_through_few_files(hall, files_of, monkeypatch):
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
        files = await files_of(put)
    assert len(files) <= MAX_FILES_OF_A_PUT
