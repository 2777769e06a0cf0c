"""The server of `guildhall dev`, and the page that stands at its address while there is none."""

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from builtin_plugins.demo.client import Client
from builtin_plugins.demo.servers import LOOPBACK, server_process, settings_of
from guildhall_sdk.errors import OperatorError

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<title>guildhall dev</title><style>
body{{font:16px/1.5 system-ui;max-width:50rem;margin:3rem auto;padding:0 1rem}}
pre{{white-space:pre-wrap;border-left:3px solid #b00020;padding-left:1rem}}</style>
<h1>The plugin is not served</h1><p>Mend it and save: this page goes on by itself.</p>{faults}</html>"""
_LAST_LINES = 40


@dataclass(frozen=True, slots=True)
class Sources:
    """Where plugins are served from: their ids, what a server finds them by, and the folders to watch."""

    ids: Sequence[str]
    environment: Mapping[str, str]
    folders: Sequence[Path]


class DevServer:
    """One server process, and the last lines that it wrote."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str) -> None:
        self.process = process
        self.client = Client(url)
        self.lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            text = line.decode(errors="replace")
            self.lines.append(text.rstrip("\n"))
            sys.stderr.write(text)
            sys.stderr.flush()

    def lives(self) -> bool:
        return self.process.poll() is None

    def last_words(self) -> str:
        self._reading.join()
        return "\n".join(self.lines) or "the server ended without a word"


@contextmanager
def dev_server(home: Path, port: int, front: int, sources: Sources) -> Iterator[DevServer]:
    """Runs a server with the plugins, which people reach at the port in `front`; it is not waited for."""
    home.mkdir(exist_ok=True)
    url = f"http://{LOOPBACK}:{port}"
    # Who waits for its end is the next one: nobody else has requests that matter.
    own = {
        "SERVICE_LOG_LEVEL": "warning",
        "SERVICE_DRAIN_SECONDS": "1",
        "SERVICE_PLUGINS_WIDENED": "allow",  # the author is the operator
        "SERVICE_BASE_URL": f"http://{LOOPBACK}:{front}",
    }
    settings = {**settings_of(home, url), **own, **sources.environment}
    with server_process(settings, stderr=subprocess.PIPE) as process:
        yield DevServer(process, url)


def faults_of(operator: Client, ids: Sequence[str]) -> list[str]:
    """Returns why plugins are not served, in the words of the server."""
    found = {item["id"]: item for item in operator.get("/api/plugins")["items"]}
    out = [found[one] for one in ids if one in found and found[one]["status"] != "loaded"]
    missing = [f"{one}: the server has not seen it" for one in ids if one not in found]
    return missing + [f"{item['id']}: {item['reason']}" for item in out]


@contextmanager
def fault_page(port: int, faults: Sequence[str]) -> Iterator[None]:
    """Answers every address with what is wrong, as long as there is no server."""
    text = _PAGE.format(faults="".join(f"<pre>{escape(fault)}</pre>" for fault in faults)).encode()

    class Page(BaseHTTPRequestHandler):
        """Says what is wrong."""

        def do_GET(self) -> None:
            self.send_response(503)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(text)))
            self.send_header("Retry-After", "1")
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            """Writes nothing: the terminal has what is wrong already."""

    try:
        page = ThreadingHTTPServer((LOOPBACK, port), Page)
    except OSError as taken:
        raise OperatorError(f"{LOOPBACK}:{port} cannot be served: {taken.strerror}") from None
    with page:
        threading.Thread(target=page.serve_forever, daemon=True).start()
        yield
        page.shutdown()
