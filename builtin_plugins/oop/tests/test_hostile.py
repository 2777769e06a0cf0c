"""A hostile plugin harms nothing: each attempt fails, and everybody else is served meanwhile."""

import asyncio
import os
import shutil

import pytest

from builtin_plugins.oop import connection, runner
from builtin_plugins.oop.calls import PluginFailed, PluginTimeout
from builtin_plugins.oop.tests.folders import items_of, turn_on, until
from libs.sandbox import isolation

pytestmark = pytest.mark.hall_databases("sqlite")
RUN, OTHER = "oop__evil__run", "oop__good__run"


@pytest.fixture
async def hall(open_programs, programs, request):
    programs.add("evil").add("good")
    settings = getattr(request, "param", {})
    async with open_programs(**settings) as hall:
        await turn_on(hall, RUN, OTHER)
        yield hall


@pytest.fixture(params=["with bubblewrap", "without bubblewrap"])
async def sandboxed(request, monkeypatch):
    """The tiers that this machine has, one after the other; to be named before `hall`."""
    bubblewrap = shutil.which("bwrap") if request.param == "with bubblewrap" else None
    found = isolation.measure_isolation(bubblewrap)
    if found is None or (found.tier == "A") != (request.param == "with bubblewrap"):
        pytest.skip("there is no bubblewrap that works here")
    monkeypatch.setattr(isolation, "_known", found)


async def run(hall, code, tool=RUN):
    return await hall.tool(tool, as_=hall.acme.member, code=code)


async def check_unharmed(hall):
    """The server answers, the neighbour works, and so does the plugin itself, started again if need be."""
    assert (await hall.acme.member.get("/api/whoami")).status_code == 200
    assert await run(hall, "result = 'good'", OTHER) == "good"
    assert await run(hall, "result = 'again'") == "again"


async def refused(hall, code):
    with pytest.raises(PluginFailed, match="refused: ") as failure:
        await run(hall, code)
    return failure.value.detail.removeprefix("The plugin refused: ").split(":")[0]


@pytest.mark.parametrize("hall", [{"SERVICE_OOP_MEMORY_MIB": "256"}], indirect=True)
async def test_it_reaches_nothing_starts_nothing_and_has_so_much_memory(
    sandboxed, hall, programs, monkeypatch, record_property
):
    await check_that_its_tier_is_shown(hall, record_property)
    await check_that_it_reaches_no_network(hall)
    await check_that_it_reads_and_writes_nothing_outside_its_folder(hall, programs)
    await check_that_it_starts_no_process_and_few_threads(hall)
    await check_that_it_signals_nobody(hall)
    await check_that_it_has_no_variable_of_ours(hall, monkeypatch)
    await check_that_its_memory_is_bounded(hall)


async def check_that_its_tier_is_shown(hall, record_property):
    found = await isolation.measured_isolation()
    record_property("tier", found.tier)
    item = (await items_of(hall))["evil"]
    assert item["tier"] == found.tier and item["tier"] in ("A", "B")
    assert item["measured"] == dict.fromkeys(("network", "files", "signals", "processes", "memory"), True)


async def check_that_it_reaches_no_network(hall):
    port = hall.base_url.rpartition(":")[2]
    for code in (
        f"import socket; socket.create_connection(('127.0.0.1', {port}))",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "import socket; socket.socket(socket.AF_UNIX)",
    ):
        assert await refused(hall, code) == "PermissionError"
    await check_unharmed(hall)


async def check_that_it_reads_and_writes_nothing_outside_its_folder(hall, programs):
    beside = programs.root / "good" / "main.py"
    data = hall.server.settings.data
    absent = {"PermissionError", "FileNotFoundError"}
    for path in (
        beside,
        *data.iterdir(),
        "/etc/passwd",
        f"/proc/{os.getpid()}/environ",
        "/proc/self/environ",
    ):
        if path is beside or not hasattr(path, "is_dir") or not path.is_dir():
            assert await refused(hall, f"open({str(path)!r}).read()") in absent, path
    assert await refused(hall, f"os.listdir({str(data)!r})") in absent
    for path in (programs.root / "evil/new", programs.root / "evil/main.py", beside, "/tmp/evil", data / "x"):
        assert await refused(hall, f"open({str(path)!r}, 'a')") in {*absent, "OSError"}, path
    assert "main.py" in await run(hall, "result = os.listdir('.')")


async def check_that_it_has_no_variable_of_ours(hall, monkeypatch):
    monkeypatch.setenv("SERVICE_SECRET_KEY", "canary-of-the-environment")
    with pytest.raises(PluginFailed):
        await run(hall, "os._exit(0)")  # the next process is started with the variable set
    environment = await run(hall, "result = dict(os.environ)")
    assert "canary-of-the-environment" not in environment.values()
    assert not any(name.startswith(("SERVICE_", "S3_")) for name in environment)


async def check_that_it_starts_no_process_and_few_threads(hall):
    assert await refused(hall, "os.fork()") in {"PermissionError", "BlockingIOError"}
    assert await refused(hall, "import subprocess; subprocess.run(['/bin/true'])") in {
        "PermissionError",
        "BlockingIOError",
    }
    bomb = """
begun, gate = 0, threading.Event()
threading.stack_size(131072)
try:
    for _ in range(5000):
        threading.Thread(target=gate.wait, daemon=True).start()
        begun += 1
except RuntimeError:
    pass
gate.set()
result = begun
"""
    assert await run(hall, bomb) < 1000
    await check_unharmed(hall)


READ_ONLY = """
import ctypes, mmap
size, hoard = 64 << 20, []
for _ in range(16):
    part = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    part.write(bytes(size))
    hoard.append(part)
    start = ctypes.addressof(ctypes.c_char.from_buffer(part))
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.PROT_READ) == 0
time.sleep(60)
"""


async def check_that_its_memory_is_bounded(hall):
    """Also what it filled and cannot write to any more."""
    with pytest.raises(PluginFailed):
        await run(hall, "hoard = [bytearray(64 << 20) for _ in range(64)]; result = len(hoard)")
    await check_unharmed(hall)
    with pytest.raises(PluginFailed, match="used more memory than it may while it served this call"):
        await run(hall, READ_ONLY)
    await check_unharmed(hall)


async def check_that_it_signals_nobody(hall):
    for target in (os.getpid(), -1, 0, os.getppid()):
        assert await refused(hall, f"os.kill({target}, 9)") in {"PermissionError", "ProcessLookupError"}
    await check_unharmed(hall)


NESTED = "'{\"jsonrpc\": \"2.0\", \"x\": ' + '[' * 99 + ']' * 99 + '}\\n'"
ABUSES = {
    "wrote a line that is not JSON": "raw(b'garbage\\n')",
    "wrote a line that is no JSON-RPC 2.0 message": "raw(b'[1, 2]\\n')",
    "wrote a line of more than 1024 KiB": "raw(b'x' * (3 << 20))",
    "wrote a message that is nested deeper than 64": f"raw(({NESTED}).encode())",
    "wrote an answer without one of result and error": "write({'id': message['id']})",
    "answered what nobody asked": "write({'id': 999, 'result': 1})",
    "called back without an id, or by no method": "write({'method': 'log', 'params': {}})",
    "called back too often in ways that are refused": "for _ in range(200): write({'id': 1, 'method': 'x'})",
    "ended with status 3": "os._exit(3)",
}


async def test_what_breaks_the_rules_ends_it_and_it_is_started_again(hall, monkeypatch):
    monkeypatch.setattr(runner, "MAX_DELAY_SECONDS", 0.05)
    for reason, abuse in ABUSES.items():
        slow = asyncio.ensure_future(run(hall, "time.sleep(0.2); result = 'slow'", OTHER))
        with pytest.raises(PluginFailed, match=f"The plugin {reason} while it served this call"):
            await run(hall, f"{abuse}\ntime.sleep(60)")
        assert await slow == "slow", "calls to others are not harmed"
        await check_unharmed(hall)


async def test_endless_output_ends_it(hall):
    with pytest.raises(PluginFailed):
        await run(hall, "while True: raw(b'x' * 65536)")
    with pytest.raises(PluginFailed):
        await run(
            hall, "while True: write({'id': 'again', 'method': 'notes/list', 'params': {'call': call}})"
        )
    await check_unharmed(hall)


async def test_one_that_breaks_the_rules_again_and_again_is_started_more_and_more_rarely(
    open_programs, programs, monkeypatch
):
    delays = []

    async def sleep(delay):
        delays.append(delay)
        if len(delays) == 8:
            await asyncio.get_running_loop().create_future()

    programs.add("evil", "print('garbage', flush=True)\nimport time; time.sleep(60)")
    monkeypatch.setattr("builtin_plugins.oop.runner.pause", sleep)
    monkeypatch.setattr("builtin_plugins.oop.runner.MAX_DELAY_SECONDS", 1.0)
    async with open_programs(connected=False) as hall:
        items = await until(hall, lambda items: len(delays) == 8 and items["evil"]["status"] == "down")
        assert items["evil"]["tools"] == []
        assert items["evil"]["detail"] == "wrote a line that is not JSON"
    assert delays == [0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("hall", [{"SERVICE_OOP_TIMEOUT": "6"}], indirect=True)
async def test_a_call_that_hangs_fails_in_time_and_others_of_the_same_plugin_are_answered(hall):
    hanging = asyncio.ensure_future(run(hall, "time.sleep(60)"))
    served = [asyncio.ensure_future(run(hall, "time.sleep(0.2); result = os.getpid()")) for _ in range(3)]
    pids = {await one for one in served}
    assert len(pids) == 1, "one process serves many calls"
    with pytest.raises(PluginTimeout, match="within 6 seconds"):
        await hanging
    assert await run(hall, "result = len(tokens)") == 1, "a new process"
    await check_unharmed(hall)


@pytest.mark.parametrize("hall", [{"SERVICE_OOP_TIMEOUT": "60"}], indirect=True)
async def test_a_caller_who_goes_away_is_not_waited_for(hall):
    """What is done on their behalf ends; the process goes on for the others."""
    left = asyncio.ensure_future(run(hall, "tokens.append('began'); time.sleep(0.3)"))
    while "began" not in await run(hall, "result = tokens"):
        pass
    left.cancel()
    with pytest.raises(asyncio.CancelledError):
        await left
    assert "began" in await run(hall, "time.sleep(0.5); result = tokens"), "the same process"


UNTIL_LEFT = """
refused = None
tokens.append("began")
while refused != "call_ended":
    try:
        ask("notes/list")
    except Exception as error:
        refused = str(error)
    time.sleep(0.01)
tokens.append("over")
"""


async def test_callers_who_go_away_again_and_again_do_not_end_it(hall, monkeypatch):
    """It calls back once more before it hears of each."""
    monkeypatch.setattr(connection, "_MAX_REFUSALS", 1)
    for turn in range(3):
        left = asyncio.ensure_future(run(hall, UNTIL_LEFT))
        while await run(hall, "result = tokens.count('began')") != turn + 1:
            pass
        left.cancel()
        await asyncio.gather(left, return_exceptions=True)
        while await run(hall, "result = tokens.count('over')") != turn + 1:
            pass
    await check_unharmed(hall)


async def test_one_that_does_not_read_is_ended(hall, monkeypatch):
    monkeypatch.setattr(connection, "_MAX_UNREAD_BYTES", 1 << 16)
    frozen = "import signal\nos.kill(os.getpid(), signal.SIGSTOP)"
    calls = [asyncio.ensure_future(run(hall, code)) for code in (frozen, *["#" * 90_000] * 6)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert "The plugin does not read its input while it served this call." in map(str, answers)
    await check_unharmed(hall)


async def test_one_that_is_busy_while_nothing_is_asked_of_it_is_ended(hall, monkeypatch, caplog):
    monkeypatch.setattr(runner, "WATCH_SECONDS", 0.5)
    monkeypatch.setattr(runner, "MAX_IDLE_SHARE", 0.01)  # it comes last where others are busy too
    with pytest.raises(PluginFailed):
        await run(hall, "os._exit(0)")  # the next process is watched more often
    spin = "def spin():\n    while True: pass\nthreading.Thread(target=spin, daemon=True).start()"
    await run(hall, spin)

    def reasons():
        return [record.fields["reason"] for record in caplog.records if record.msg == "oop.ended"]

    await until(hall, lambda items: "used the processor while nothing was asked of it" in reasons())
    await check_unharmed(hall)
