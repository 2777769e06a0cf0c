"""One child for each document, never too many at once, and none that stays behind."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from builtin_plugins.repo import extraction
from builtin_plugins.repo.extraction import Extractor, Outcome, ReadingLimits, child_process

# Putting these marks in order takes far longer than any test waits.
ENDLESS = ("a" + "\u0301" * 900_000 + "\u0323" * 900_000).encode()


@pytest.fixture
def children(monkeypatch):
    """The children as they are started; `most` is how many lived at once."""

    class Children(list):
        most = 0
        started = asyncio.Event()

    seen = Children()
    start = asyncio.create_subprocess_exec

    async def starting(*command, **options):
        child = await start(*command, **options)
        seen.append(child)
        seen.most = max(seen.most, sum(one.returncode is None for one in seen))
        seen.started.set()
        return child

    monkeypatch.setattr("asyncio.create_subprocess_exec", starting)
    return seen


@pytest.fixture
def endless(tmp_path):
    path = tmp_path / "endless"
    path.write_bytes(ENDLESS)
    with path.open("rb") as document:
        yield document


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small"
    path.write_bytes(b"words")
    with path.open("rb") as document:
        yield document


def commands_of_children():
    """Of this process, zombies included, where the system lists them."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                yield stat.with_name("cmdline").read_text()


def is_gone(child):
    """Ended and reaped: a zombie still answers to its number."""
    try:
        os.kill(child.pid, 0)
    except ProcessLookupError:
        return True
    return False


async def test_a_caller_who_goes_away_takes_the_child_along(endless, children):
    reading = asyncio.create_task(Extractor().extract(endless, "text/plain", "a.txt"))
    await children.started.wait()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert children[0].returncode == -signal.SIGKILL
    assert is_gone(children[0])


async def test_a_caller_who_goes_away_early_leaves_nothing(endless, children):
    for turns in range(12):
        reading = asyncio.create_task(Extractor().extract(endless, "text/plain", "a.txt"))
        for _ in range(turns):
            await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
    assert all(child.returncode is not None and is_gone(child) for child in children)
    assert not any("reading.child" in command for command in commands_of_children())


async def test_a_waiting_caller_who_goes_away_gives_the_turn_on(endless, children, small):
    reader = Extractor(at_once=1)
    first = asyncio.create_task(reader.extract(endless, "text/plain", "a.txt"))
    await children.started.wait()
    second = asyncio.create_task(reader.extract(small, "text/plain", "a.txt"))
    third = asyncio.create_task(reader.extract(small, "text/plain", "a.txt"))
    await asyncio.sleep(0)
    second.cancel()
    first.cancel()
    assert (await third).text == "words"


async def test_no_more_are_read_at_once_than_allowed(tmp_path, children):
    path = tmp_path / "small"
    path.write_bytes(b"words")
    reader = Extractor(at_once=2)
    with ExitStack() as files:
        documents = [files.enter_context(path.open("rb")) for _ in range(7)]
        answers = await asyncio.gather(*(reader.extract(each, "text/plain", "a.txt") for each in documents))
    assert {answer.text for answer in answers} == {"words"}
    assert (len(children), children.most) == (7, 2)
    assert all(is_gone(child) for child in children)


async def test_a_child_that_takes_too_long_ends_itself(endless, children, monkeypatch):
    monkeypatch.setattr(child_process, "_GRACE_SECONDS", 30)
    answer = await Extractor(ReadingLimits(wall_seconds=1)).extract(endless, "text/plain", "a.txt")
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "takes longer than 1 s to read")
    assert children[0].returncode == -signal.SIGALRM


async def test_a_child_that_cannot_end_itself_is_ended(endless, children, monkeypatch):
    monkeypatch.setattr(child_process, "_GRACE_SECONDS", 0)
    reader = Extractor(ReadingLimits(wall_seconds=1))
    reading = asyncio.create_task(reader.extract(endless, "text/plain", "a.txt"))
    await children.started.wait()
    os.kill(children[0].pid, signal.SIGSTOP)
    answer = await reading
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "takes longer than 1 s to read")
    assert children[0].returncode == -signal.SIGKILL
    assert is_gone(children[0])


async def test_a_child_that_somebody_else_ends_is_no_fault_of_the_document(endless, children):
    reading = asyncio.create_task(Extractor().extract(endless, "text/plain", "a.txt"))
    await children.started.wait()
    os.kill(children[0].pid, signal.SIGKILL)
    answer = await reading
    assert (answer.outcome, answer.text) == (Outcome.FAILED, None)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent is gone")
def test_a_child_does_not_outlive_a_server_that_is_killed(endless):
    program = f"""
import asyncio
from pathlib import Path
from builtin_plugins.repo.extraction import Extractor
start = asyncio.create_subprocess_exec
async def starting(*command, **options):
    child = await start(*command, **options)
    print(child.pid, flush=True)
    return child
asyncio.create_subprocess_exec = starting
asyncio.run(Extractor().extract(Path({endless.name!r}).open("rb"), "text/plain", "a.txt"))
"""
    server = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    try:
        child = os.pidfd_open(int(server.stdout.readline()))
    finally:
        server.kill()
        server.wait()
        server.stdout.close()
    ended, _, _ = select.select([child], [], [], 10)
    os.close(child)
    assert ended


ANSWERS = {
    "nothing": "",
    "no header": "print('words')",
    "a header of another kind": "print('[1]')",
    "an outcome that there is not": 'print(\'{"outcome": "maybe"}\')',
    "bytes that are no text": "import os; os.write(1, HEADER % 2 + b'\\xff\\xfe')",
    "a zero in the text": "import os; os.write(1, HEADER % 3 + b'a\\0b')",
    "more than was announced": "import os; os.write(1, HEADER % 3 + b'abcd')",
    "far more than allowed": "import os\nwhile True: os.write(1, HEADER % 3 + b'x' * 65536)",
    "brackets without end": "print('[' * 4000)",
    "a failure": "raise SystemExit(3)",
}
HEADER = b'{"outcome": "text", "reason": null, "kind": "text", "partial": false, "bytes": %d}\\n'


@pytest.mark.parametrize("program", ANSWERS.values(), ids=ANSWERS)
async def test_a_child_that_makes_no_sense_is_not_believed(small, children, monkeypatch, program):
    whole = f"HEADER = b'''{HEADER.decode()}'''\n{program}"
    monkeypatch.setattr(extraction, "_COMMAND", (sys.executable, "-I", "-c", whole))
    answer = await Extractor().extract(small, "text/plain", "a.txt")
    assert (answer.outcome, answer.text) == (Outcome.FAILED, None)
    assert is_gone(children[0])


async def test_when_no_child_can_be_started_it_is_no_fault_of_the_document(tmp_path, small, monkeypatch):
    monkeypatch.setattr(extraction, "_COMMAND", (str(tmp_path / "no-such-program"),))
    assert (await Extractor().extract(small, "text/plain", "a.txt")).outcome is Outcome.FAILED


async def test_a_type_of_any_length_reaches_no_bound_of_the_system(small):
    answer = await Extractor().extract(small, "text/plain; x=" + "\0é" * 200_000, "a.txt")
    assert answer.text == "words"


async def test_a_child_gets_nothing_of_the_servers_surroundings(small, endless, children, monkeypatch):
    monkeypatch.setenv("SERVICE_SECRET_KEY", "canary")
    program = (
        "import os; said = '\\n'.join([os.getcwd(), *os.environ, *os.listdir('/proc/self/fd')]).encode()\n"
        f"os.write(1, b'''{HEADER.decode()}''' % len(said) + said)"
    )
    monkeypatch.setattr(extraction, "_COMMAND", (sys.executable, "-I", "-c", program))
    answer = await Extractor().extract(small, "text/plain", "a.txt")
    # The fourth number is the listing itself.
    assert answer.text.split("\n") == ["/", "LC_ALL", "MALLOC_ARENA_MAX", "0", "1", "2", "3"]
