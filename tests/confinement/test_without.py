"""A kernel without seccomp and Landlock: it is said, and documents wait until the operator decides."""

import json

PROGRAM = """
import asyncio, sys, tempfile
from builtin_plugins.repo.extraction import Extractor
async def main():
    with tempfile.TemporaryFile() as document:
        document.write(b"words")
        document.seek(0)
        found = await Extractor(unconfined=sys.argv[1] == "on").extract(document, "text/plain", "a.txt")
        print(found.outcome, found.text, found.reason, sep="|")
asyncio.run(main())
"""
SERVER = """
import asyncio, logging, os, sys
from kernel.boot import Server
from kernel.cli import main as command_line
from kernel.config import Settings
from kernel.logs import configure_logging
configure_logging("warning", sys.stderr)
async def main():
    said = asyncio.Event()
    class Listener(logging.Handler):
        def emit(self, record):
            if record.getMessage().startswith("extraction."):
                said.set()
    logging.getLogger("guildhall").addHandler(Listener())
    for unconfined in ("off", "on"):
        said.clear()
        server = Server(Settings.from_environment({**os.environ, "SERVICE_REPO_UNCONFINED": unconfined}))
        await server.start()
        await asyncio.wait_for(said.wait(), 60)
        await server.stop()
command_line(["doctor"])
asyncio.run(main())
"""


def sandbox_line(done):
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("sandbox")]
    return line.removeprefix("sandbox").strip()


def test_the_child_itself_refuses_to_read(without_seccomp):
    done = without_seccomp("-c", PROGRAM, "off")
    assert done.stdout.startswith("unconfined|None|found no reader that is confined: the kernel takes no"), (
        done
    )


def test_the_child_reads_where_the_operator_said_so(without_seccomp):
    assert without_seccomp("-c", PROGRAM, "on").stdout == "text|words|None\n"


def test_doctor_says_what_to_do_and_each_boot_says_it_in_one_line(without_seccomp):
    done = without_seccomp("-c", SERVER)
    line = sandbox_line(done)
    assert line.startswith("tier C (open: network, files, signals, processes, memory); ")
    assert "seccomp" in line and "SERVICE_REPO_UNCONFINED=on" in line
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    boots = [line for line in lines if line["action"].startswith("extraction.")]
    assert [said["action"] for said in boots] == ["extraction.refused", "extraction.unconfined"]
    for said in boots:
        assert said["level"] == "warning"
        assert said["sandbox"].startswith("tier C") and "SERVICE_REPO_UNCONFINED" in said["remedy"]
