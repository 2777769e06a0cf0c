"""`guildhall worker` as a process: what it asks for, what it says, and how it ends."""

import asyncio
import json
import os
import pty
import signal

import pytest

from tests import commands

TOKEN = "ghw_canary"
PLUGIN = """
import asyncio, os
from guildhall_sdk import JobKind, hookimpl

async def add(call):
    return {"sum": sum(call.payload), "token": os.environ.get("GUILDHALL_WORKER_TOKEN")}

async def hang(call):
    await asyncio.Event().wait()

async def leave_a_thread(call):
    import time
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 60)
    return "left"

@hookimpl
def declare_job_kinds():
    taken = lambda result: False
    return [
        JobKind("x.toy.sum", "Adds.", validator=taken, worker=add),
        JobKind("x.toy.hang", "Hangs.", validator=taken, worker=hang),
        JobKind("x.toy.thread", "Leaves a thread.", validator=taken, worker=leave_a_thread),
        JobKind("x.toy.bare", "Runs elsewhere.", validator=taken),
    ]
"""


@pytest.fixture
def plugins(tmp_path):
    home = tmp_path / "plugins" / "toy"
    home.mkdir(parents=True)
    manifest = {"id": "toy", "name": "Toy", "version": "1", "description": "A toy.", "entry": "plugin.py"}
    (home / "plugin.json").write_text(json.dumps(manifest))
    (home / "plugin.py").write_text(PLUGIN)
    return home.parent


@pytest.fixture
async def command(plugins, api):
    """`await command("--kinds", "a")`: the process, under way."""
    started = []

    async def start(*arguments, url=api.url, stdout=None, **environ):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
        settings = {"SERVICE_PLUGINS": str(plugins), "GUILDHALL_WORKER_TOKEN": TOKEN, **environ}
        given = {name: value for name, value in (kept | settings).items() if value is not None}
        process = await commands.start(given, "worker", "--url", url, *arguments, stdout=stdout)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def ended(process):
    """The exit code, and what was said on each stream."""
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert TOKEN not in out.decode() + err.decode()
    return process.returncode, out.decode(), err.decode()


async def test_it_works_until_it_is_told_to_stop(api, command):
    process = await command("--kinds", "x.toy.sum,x.toy.hang")
    claim = await api.next("claim")
    assert claim.headers["authorization"] == f"Bearer {TOKEN}"
    assert claim.body == {"kinds": ["x.toy.sum", "x.toy.hang"], "max_wait": 25}
    claim.give(payload=[1, 2])
    completing = await api.next("complete")
    assert completing.body["result"] == {"sum": 3, "token": None}
    completing.answer(200, {})
    await api.next("claim")
    process.send_signal(signal.SIGTERM)
    code, out, err = await ended(process)
    assert (code, err) == (0, "")
    said = [line.partition(" ")[2] for line in out.splitlines()]
    assert said[0] == f"working for {api.url}: x.toy.hang, x.toy.sum"
    assert said[1] == "claimed job_1 x.toy.sum, attempt 1"
    assert said[2].startswith("done job_1 x.toy.sum after ")
    assert said[3:] == ["stopping: nothing is held", "stopped: 1 done, 0 failed"]


async def test_it_runs_every_kind_with_a_worker_with_a_token_in_a_file_whatever_a_server_is_set_to(
    api, command, tmp_path
):
    (tmp_path / "token").write_text("ghw_from_file\n")
    of_server = {"SERVICE_BIDN": "x", "SERVICE_DATABASE_URL": "nonsense", "SERVICE_DEMO": "perhaps"}
    await command("--token-file", str(tmp_path / "token"), GUILDHALL_WORKER_TOKEN=None, **of_server)
    claim = await api.next("claim")
    assert claim.headers["authorization"] == "Bearer ghw_from_file"
    kinds = claim.body["kinds"]
    assert {"x.toy.sum", "x.toy.hang", "x.toy.thread"} <= set(kinds)
    assert "x.toy.bare" not in kinds and "ai.turn" not in kinds


async def test_a_second_signal_gives_the_job_back(api, command):
    process = await command("--kinds", "x.toy.hang")
    (await api.next("claim")).give(kind="x.toy.hang")
    assert b"working" in await process.stdout.readline()
    assert b"claimed" in await process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert b"stopping: finishing 1 job" in await process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    failing = await api.next("fail")
    assert failing.body["retry"] is True
    failing.answer(200, {})
    assert (await ended(process))[0] == 0


async def test_a_thread_that_a_handler_left_does_not_keep_it_from_ending(api, command):
    process = await command("--kinds", "x.toy.thread")
    (await api.next("claim")).give(kind="x.toy.thread")
    (await api.next("complete")).answer(200, {})
    process.send_signal(signal.SIGTERM)
    code, out, _ = await ended(process)
    assert code == 0
    assert out.endswith("stopped: 1 done, 0 failed\n")


@pytest.mark.long_form
async def test_nor_does_it_when_the_token_is_revoked(api, command):
    process = await command("--kinds", "x.toy.thread")
    (await api.next("claim")).give(kind="x.toy.thread")
    (await api.next("complete")).problem(401, "unauthenticated", "Gone.")
    assert (await ended(process))[0] == 2


async def test_a_revoked_token_ends_it_with_one_line(api, command):
    process = await command()
    (await api.next("claim")).problem(401, "unauthenticated", f"Who is {TOKEN}?")
    code, _, err = await ended(process)
    assert code == 2
    assert err == "guildhall: the server does not take this worker's token (Who is ghw_[redacted])\n"


@pytest.mark.parametrize(
    ("arguments", "environ", "line"),
    [
        ([], {"GUILDHALL_WORKER_TOKEN": None}, "there is no worker token: set GUILDHALL_WORKER_TOKEN"),
        ([], {"GUILDHALL_WORKER_TOKEN": "two words"}, "the worker token is malformed"),
        (["--token-file", "/nowhere/ghw_canary"], {}, "ghw_[redacted] cannot be read: No such file"),
        (["--token", "ghw_canary"], {}, "argument --token: arguments can be seen by everybody"),
        (["--kinds", "x.toy.bare,x.toy.sum"], {}, "guildhall: cannot run x.toy.bare here; can run "),
        (["--kinds", "ai.turn"], {}, "guildhall: ai.turn needs --model and --model-url"),
        (["--model", "small"], {}, "guildhall: --model and --model-url go together"),
        (["--slots", "0"], {}, "argument --slots: takes a whole number from 1 to 64"),
        (["--url", "ftp://x"], {}, "argument --url: takes an http:// or https:// address"),
        (["--url", "http://ada:ghw_canary@x"], {}, "argument --url: takes an http:// or https:// address"),
        (["--url", "http://x:99999"], {}, "argument --url: takes an http:// or https:// address"),
        (
            ["--model", "m", "--model-url", "http://127.0.0.1:1/v1", "--model-key-env", "NOT_SET"],
            {},
            "guildhall: --model-key-env: NOT_SET is not set",
        ),
    ],
)
def test_what_cannot_work_is_said_in_one_line(plugins, arguments, environ, line):
    given = {"SERVICE_PLUGINS": str(plugins), "GUILDHALL_WORKER_TOKEN": TOKEN, **environ}
    settings = {name: value for name, value in given.items() if value is not None}
    done = commands.run(
        commands.bare_environment(**settings), ["worker", "--url", "http://127.0.0.1:1", *arguments]
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert line in done.stderr.splitlines()[-1]
    assert TOKEN not in done.stderr


async def test_with_nothing_to_run_it_does_not_start(command, tmp_path):
    (tmp_path / "none").mkdir()
    process = await command(SERVICE_PLUGINS=str(tmp_path / "none"))
    code, _, err = await ended(process)
    assert (code, err.partition(":")[2].strip()[:31]) == (2, "there is nothing to run here: n")


async def test_a_broken_plugin_is_named_and_the_others_run(api, command, plugins):
    (plugins / "broken").mkdir()
    (plugins / "broken" / "plugin.json").write_text("{")
    process = await command()
    await api.next("claim")
    process.send_signal(signal.SIGTERM)
    _, _, err = await ended(process)
    assert err.startswith("guildhall: the plugin broken cannot be loaded: plugin.json cannot be read")


async def test_a_turn_of_a_model_is_asked_of_its_endpoint(api, command, second_api):
    await command(
        *("--kinds", "ai.turn", "--model", "small", "--model-url", f"{second_api.url}/v1"),
        *("--model-key-env", "THE_KEY"),
        THE_KEY="canary-key",
    )
    claim = await api.next("claim")
    assert claim.body["kinds"] == ["ai.turn"] and claim.body["models"] == ["small"]
    messages = [{"role": "user", "content": "Hello"}]
    claim.give(kind="ai.turn", payload={"model": "small", "messages": messages, "max_tokens": 5})
    asked = await second_api.next("completions")
    assert asked.headers["authorization"] == "Bearer canary-key"
    assert asked.body["messages"] == messages and asked.body["model"] == "small"
    choice = {"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}
    asked.answer(200, {"choices": [choice]})
    completing = await api.next("complete")
    assert completing.body["result"] == {"reply": "Hi", "finish_reason": "stop"}


@pytest.mark.long_form
async def test_a_model_that_refuses_fails_the_turn(api, command, second_api):
    await command("--model", "small", "--model-url", f"{second_api.url}/v1")
    (await api.next("claim")).give(kind="ai.turn", payload={"model": "small", "messages": []})
    (await second_api.next("completions")).answer(503, {"error": {"message": "overloaded"}})
    failing = await api.next("fail")
    assert failing.body["error"]["code"] == "model_unavailable" and failing.body["retry"] is True


async def test_on_a_terminal_it_shows_a_live_line(api, command):
    ours, theirs = pty.openpty()
    try:
        process = await command("--kinds", "x.toy.hang", stdout=theirs)
        (await api.next("claim")).give(kind="x.toy.hang")
        seen = b""
        while b"0 done, 0 failed | x.toy.hang 0 s" not in seen:
            seen += await asyncio.to_thread(os.read, ours, 4096)
        assert b"\r\x1b[K" in seen
        process.send_signal(signal.SIGTERM)
        while b"| stopping: x.toy.hang" not in seen:
            seen += await asyncio.to_thread(os.read, ours, 4096)
    finally:
        os.close(theirs)
        os.close(ours)
