"""A new user's first steps, as the README and the plugin guide show them, against a real process."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests import commands
from tests.processes import free_port

ROOT = Path(__file__).resolve().parent.parent
GUILDHALL = [sys.executable, "-m", "kernel.cli"]


def started(tmp_path: Path, **settings: str) -> tuple[commands.Running, str]:
    """`guildhall serve` in a process of its own, and its address."""
    port = free_port()
    environ = commands.bare_environment(
        SERVICE_BIND=f"127.0.0.1:{port}",
        SERVICE_S3_BIND=f"127.0.0.1:{free_port()}",
        **{"SERVICE_DATA": str(tmp_path / "data"), **settings},
    )
    said = Path(mkdtemp(prefix="said-", dir=tmp_path))
    return commands.Running(environ, ["serve"], said), f"http://127.0.0.1:{port}"


@contextmanager
def serving(tmp_path: Path, **settings: str):
    """The address of `guildhall serve` in a process of its own, which is stopped with SIGTERM."""
    process, base_url = started(tmp_path, **settings)
    try:
        wait_until_healthy(base_url, process)
        yield base_url
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(60)
    assert code == 0, process.stderr
    assert "Guildhall" in process.stdout


def wait_until_healthy(base_url: str, process: commands.Running) -> None:
    for _ in range(2400):
        if process.poll() is not None:
            pytest.fail(process.stderr)
        try:
            with urllib.request.urlopen(f"{base_url}/health", timeout=60) as answer:
                assert json.load(answer) == {"ok": True, "multitenant": True}
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail("the server did not become healthy")


def bash_blocks(page: Path) -> list[str]:
    return re.findall(r"```bash\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def test_the_first_steps_of_the_readme_work(tmp_path):
    with serving(tmp_path) as base_url:
        script = "set -euo pipefail\n" + "\necho\n".join(bash_blocks(ROOT / "README.md"))
        script = script.replace("http://127.0.0.1:8080", base_url)
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(text) for text in re.findall(r"\{.*\}", done.stdout.replace("}{", "}\n{"))]
    created, listed, joined, token, kept, found, job, audit = answers
    assert created["title"] == "Hello" and created["visibility"] == "team"
    assert [note["id"] for note in listed["items"]] == [created["id"]]
    assert joined["member"]["username"] == "grace" and joined["token"].startswith("ghs_")
    assert token["scope"] == ["notes:read"]
    assert (kept["key"], kept["version"], kept["visibility"]) == ("minutes/monday.md", 1, "team")
    assert [hit["id"] for hit in found["items"]] == [kept["id"]]
    assert kept["size"] == len("# Monday\n\nThe hall opens at nine.\n")
    assert (job["state"], job["result"]) == ("succeeded", {"words": 3, "characters": 13})
    assert {"note.created", "member.added", "token.issued"} <= {event["action"] for event in audit["items"]}


def test_the_plugin_of_the_guide_works(tmp_path):
    guide = (ROOT / "docs/plugins/index.md").read_text("utf-8")
    for name, text in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", guide, re.DOTALL):
        path = tmp_path / "plugins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    checked = subprocess.run(
        [*GUILDHALL, "plugin", "check", str(tmp_path / "plugins/greeter")], capture_output=True, text=True
    )
    assert checked.stdout.strip() in guide
    with serving(tmp_path, SERVICE_PLUGINS=str(tmp_path / "plugins")) as base_url:
        bootstrap = {"username": "ada", "password": "difference engine"}
        token = post(f"{base_url}/api/bootstrap", bootstrap)["token"]
        assert post(f"{base_url}/api/x/greeter/greet", {"name": "Ada"}, token) == {
            "text": "Welcome to the hall, Ada."
        }
        for name, names in (("Ada", ["Ada"]), ("Grace", ["Grace", "Ada"])):
            assert post(f"{base_url}/api/x/guestbook/guests", {"name": name}, token) == {"names": names}


def post(url: str, body: dict, token: str | None = None) -> dict:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def test_the_first_run_says_how_long_it_takes_and_what_vite_shall_not_look_for():
    assert "what it stands on: about a minute" in (ROOT / "Makefile").read_text()
    page = (ROOT / "console/index.html").read_text()
    links = re.findall(r'<link [^>]*href="(/[^"]+)"[^>]*>', page)
    made_elsewhere = [path for path in links if not (ROOT / f"console/public{path}").exists()]
    assert "/theme.css" in made_elsewhere
    assert all(f'vite-ignore href="{path}"' in page for path in made_elsewhere)
