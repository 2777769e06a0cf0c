"""Quart's own static files. As a program, `static_peer.py PORT FOLDER` serves the folder at /static/."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.peers import serve
from bench.servers import Server, free_port, plain_environment, running

PATH = "/static/"


@contextmanager
def static_quart(folder: Path, name: str, log_folder: Path) -> Iterator[Server]:
    """Serves the folder; ready when it gives the file of this name."""
    port = free_port()
    command = [sys.executable, "-m", "bench.static_peer", str(port), str(folder)]
    with running(command, port, PATH + name, log_folder, plain_environment()) as server:
        yield server


if __name__ == "__main__":
    from quart import Quart

    asyncio.run(serve(Quart("peer", static_folder=sys.argv[2], static_url_path="/static"), int(sys.argv[1])))
