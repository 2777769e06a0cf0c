"""Servers of others, as they are installed by `make mcp-servers`, through the front door."""

import asyncio
import os
import re
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest

from builtin_plugins.mcp.tests.conftest import INSTALLED, Servers
from guildhall_sdk import UserError
from guildhall_sdk.tools import Artifact
from tests.processes import free_port

BIN, NODE = INSTALLED / "bin", INSTALLED / "node_modules" / ".bin"


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize(
    "names",
    [
        ("git", "everything"),
        pytest.param(("git", "everything", "time", "filesystem", "memory"), marks=pytest.mark.long_form),
    ],
    ids=["short", "each"],
)
async def test_real_servers_are_used_and_a_dead_one_holds_up_nobody(
    open_hall, file_of, tmp_path, monkeypatch, names
):
    monkeypatch.setenv("CANARY_OF_OURS", "must-not-be-seen")
    repository = _new_repository(tmp_path)
    entries = {
        "time": {"command": str(BIN / "mcp-server-time"), "args": ["--local-timezone", "UTC"]},
        "git": {"command": str(BIN / "mcp-server-git"), "args": ["--repository", str(repository)]},
        "sqlite": {"command": str(BIN / "mcp-server-sqlite"), "args": ["--db-path", str(tmp_path / "db")]},
        "everything": {"command": str(NODE / "mcp-server-everything"), "env": {"OWN": "of the entry"}},
        "filesystem": {"command": str(NODE / "mcp-server-filesystem"), "args": [str(repository)]},
        "memory": {
            "command": str(NODE / "mcp-server-memory"),
            "env": {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")},
        },
    }
    wanted = {name: entries[name] for name in (*names, "sqlite")}
    async with open_hall(SERVICE_MCP=file_of(**wanted)) as hall:
        servers = Servers(hall)
        for name in names:
            await servers.ready(name)
            await CHECKS[name](servers, repository)
        dead = await servers.until("sqlite", lambda item: item["detail"] is not None)
        assert dead["status"] in {"down", "connecting"}
        assert dead["tools"] == []
        children = _children_of(os.getpid())
        assert len(children) >= len(names)
    assert [pid for pid in children if _is_running(pid)] == [], "a server that stops leaves no child behind"


async def check_time(servers, repository):
    assert "UTC" in str(await servers.call("mcp__time__get_current_time", timezone="UTC"))
    with pytest.raises(UserError) as refusal:
        await servers.call("mcp__time__get_current_time", timezone="Nowhere/Else")
    assert refusal.value.code == "tool_failed"


async def check_git(servers, repository):
    assert "note.txt" in await servers.call("mcp__git__git_status", repo_path=str(repository))
    with pytest.raises(UserError) as refusal:
        await servers.call("mcp__git__git_status", repo_path="/nowhere")
    assert refusal.value.code == "tool_failed"


async def check_filesystem(servers, repository):
    path = str(repository / "note.txt")
    assert "a line of the file" in str(await servers.call("mcp__filesystem__read_text_file", path=path))
    with pytest.raises(UserError, match="it says: Access denied"):
        await servers.call("mcp__filesystem__read_text_file", path="/etc/hostname")


async def check_memory(servers, repository):
    entity = {"name": "Ada", "entityType": "person", "observations": ["writes programs"]}
    await servers.call("mcp__memory__create_entities", entities=[entity])
    assert "writes programs" in str(await servers.call("mcp__memory__read_graph"))


async def check_everything(servers, repository):
    seen = await servers.call("mcp__everything__get_env")
    assert '"OWN": "of the entry"' in seen
    assert set(re.findall(r'^  "(\w+)":', seen, re.MULTILINE)) == {"OWN", "PATH"}
    assert "must-not-be-seen" not in seen
    image = await servers.call("mcp__everything__get_tiny_image")
    assert isinstance(image, Artifact)
    assert (image.kind, image.content_type) == ("image", "image/png")


CHECKS = {
    "time": check_time,
    "git": check_git,
    "filesystem": check_filesystem,
    "memory": check_memory,
    "everything": check_everything,
}


@pytest.mark.long_form
@pytest.mark.hall_databases("sqlite")
async def test_streamable_http_survives_a_restart_that_forgets_its_sessions(open_hall, file_of, quick):
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    async with open_hall(
        SERVICE_MCP=file_of(remote={"url": url, "headers": {"X-Key": "a-secret-key"}})
    ) as hall:
        servers = Servers(hall)
        down = await servers.until("remote", lambda item: item["detail"] is not None)
        assert (down["transport"], down["detail"]) == ("http", "cannot be reached")
        with _everything(port):
            await servers.ready("remote")
            assert "Echo: hi" in await servers.call("mcp__remote__echo", message="hi")
        with _everything(port):
            calls = [servers.call("mcp__remote__echo", message=str(n)) for n in range(10)]
            said = await asyncio.gather(*calls)
            assert [f"Echo: {n}" in text for n, text in enumerate(said)] == [True] * 10
            assert servers["remote"].connections == 2


@contextmanager
def _everything(port: int):
    """server-everything by HTTP, once it listens, until it is killed."""
    command = [str(NODE / "mcp-server-everything"), "streamableHttp"]
    process = subprocess.Popen(
        command,
        env={"PATH": os.environ["PATH"], "PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        for line in process.stderr:
            if b"listening" in line:
                break
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()


def _new_repository(folder: Path) -> Path:
    repository = folder / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    (repository / "note.txt").write_text("a line of the file")
    return repository


def _is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _children_of(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(line.split()[0]) for line in found.stdout.splitlines() if "mcp-server" in line]
