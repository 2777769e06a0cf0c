"""Long bodies in flat memory both ways, and nothing lost that was acknowledged.

SOAK_MIB sets how long they are, SOAK_ROUNDS how often a server is killed; `make soak` takes the full measure.
"""

import asyncio
import json
import os
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from builtin_plugins.s3.tests.clients import Bucket, boto_client
from tests import commands

MIB = 1024 * 1024
SIZE = int(os.environ.get("SOAK_MIB", "48")) * MIB
ROUNDS = int(os.environ.get("SOAK_ROUNDS", "1"))
MAX_GROWTH = 32 * MIB
PASSWORD = "correct horse battery staple"


class Zeros:
    """A body that is never in memory as a whole, and that can be sent again."""

    def __init__(self, size):
        self._size, self._at = size, 0

    def read(self, amount=-1):
        left = self._size - self._at
        taken = left if amount is None or amount < 0 else min(amount, left)
        self._at += taken
        return bytes(taken)

    def seek(self, offset, whence=0):
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self):
        return self._at


class Process:
    """`guildhall serve` with S3, by its addresses."""

    def __init__(self, process, addresses):
        self._process = process
        self.main, self.s3 = addresses["main"], addresses["s3"]

    def peak(self, *, reset=False):
        """The most memory it has had, in bytes."""
        if reset:
            Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmHWM")

    async def kill(self):
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()


@pytest_asyncio.fixture(loop_scope="session")
async def start(tmp_path):
    started = []

    async def start():
        settings = {
            "SERVICE_DATA": str(tmp_path / "data"),
            "SERVICE_LOG_LEVEL": "warning",
            "SERVICE_EMBEDDINGS": "0",
        }
        environ = commands.bare_environment(**settings)
        process = await commands.start(environ, "-m", "builtin_plugins.s3.tests.serving")
        line = await asyncio.wait_for(process.stdout.readline(), 60)
        started.append(Process(process, json.loads(line)))
        return started[-1]

    yield start
    for process in started:
        await process.kill()


@pytest.fixture
def first_key():
    """The first person of a new server, with an access key."""

    async def first_key(process):
        async with httpx.AsyncClient(base_url=process.main, trust_env=False) as http:
            told = {"username": "ada", "password": PASSWORD}
            response = await http.post("/api/bootstrap", json=told)
            response = await http.post("/api/login", json=told)
            headers = {"Authorization": f"Bearer {response.json()['token']}"}
            return (await http.post("/api/s3/credentials", json={}, headers=headers)).json()

    return first_key


def bucket_of(process, key):
    client = boto_client(process.s3, key["access_key_id"], key["secret_access_key"])
    return Bucket(client, key["bucket"], key)


async def test_memory_stays_flat_both_ways_and_while_a_form_brings_a_long_file(start, first_key):
    process = await start()
    bucket = bucket_of(process, await first_key(process))
    await check_form(process, bucket)
    await check_both_ways(process, bucket)


async def check_form(process, bucket):
    form = bucket.client.generate_presigned_post(bucket.name, "long")
    async with httpx.AsyncClient(verify=False, trust_env=False, timeout=120) as http:

        async def send(size):
            return await http.post(form["url"], data=form["fields"], files={"file": ("long", Zeros(size))})

        assert (await send(MIB)).status_code == 204
        before = process.peak(reset=True)
        assert (await send(SIZE)).status_code == 204
    assert process.peak() - before <= MAX_GROWTH
    assert (await bucket.head_object(Key="long"))["ContentLength"] == SIZE


async def check_both_ways(process, bucket):
    await bucket.put_object(Key="warm", Body=Zeros(MIB))
    await bucket.read("warm")
    before = process.peak(reset=True)
    await bucket.put_object(Key="long", Body=Zeros(SIZE))
    assert process.peak() - before <= MAX_GROWTH

    def drain():
        body = bucket.client.get_object(Bucket=bucket.name, Key="long")["Body"]
        return sum(len(chunk) for chunk in body.iter_chunks(MIB))

    assert await asyncio.to_thread(drain) == SIZE
    assert process.peak() - before <= MAX_GROWTH


async def test_what_was_acknowledged_survives_kills(start, first_key):
    """New keys and one that all of them write, killed in the middle of it, again and again."""
    process = await start()
    key = await first_key(process)
    acknowledged, looked_at = {}, set()
    for round_number in range(ROUNDS):
        bucket = bucket_of(process, key)

        async def write(number, bucket=bucket, round_number=round_number):
            name = "hot" if number % 3 == 0 else f"k{round_number}-{number}"
            body = body_of(round_number, number)
            answer = await bucket.put_object(Key=name, Body=body)
            acknowledged[name, answer["VersionId"]] = body

        wanted = len(acknowledged) + 5 + 3 * (round_number % 10)
        writing = {asyncio.create_task(write(number)) for number in range(60)}
        while len(acknowledged) < wanted:
            _, writing = await asyncio.wait(writing, return_when=asyncio.FIRST_COMPLETED)
        await process.kill()
        await asyncio.gather(*writing, return_exceptions=True)
        process = await start()
        again = bucket_of(process, key)
        there = await again.versions()
        assert there >= set(acknowledged)
        for name, version_id in there - looked_at:
            body = await again.read(name, VersionId=version_id)
            assert body == body_of(*map(int, body.split(b" ", 2)[:2]))
            assert body == acknowledged.get((name, version_id), body)
        looked_at |= there


def body_of(round_number, number):
    """So that a body tells by itself whether it is whole."""
    return f"{round_number} {number} ".encode() * 5000
