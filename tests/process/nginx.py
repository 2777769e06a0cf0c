"""Debian's nginx, run with a configuration that a page of the docs shows."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_UNPACKED = Path(sys.prefix) / "nginx-debian/usr/sbin/nginx"
PROGRAM = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or (
    str(_UNPACKED) if _UNPACKED.exists() else None
)
_START_SECONDS = 30
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
_AROUND = """
daemon off;
pid {folder}/pid;
error_log {folder}/errors;
events {{}}
http {{
access_log off;
{temporary}
{page}
}}
"""


@contextmanager
def nginx(page: str, port: int, replaced: Mapping[str, str]) -> Iterator[str]:
    """Gives the base URL of a proxy that is configured as a page says, but for the addresses in it."""
    assert PROGRAM is not None
    for shown, address in replaced.items():
        assert shown in page, f"the page does not say {shown!r}"
        page = page.replace(shown, address)
    folder = Path(tempfile.mkdtemp(prefix="guildhall-proxy-", dir="/tmp"))
    folder.chmod(0o777)  # a worker of root's is nobody
    temporary = "\n".join(f"{name}_temp_path {folder}/{name};" for name in _TEMPORARY)
    (folder / "nginx.conf").write_text(_AROUND.format(folder=folder, temporary=temporary, page=page))
    arguments = [PROGRAM, "-e", f"{folder}/errors", "-p", str(folder), "-c", f"{folder}/nginx.conf"]
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process, folder)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(port: int, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None and time.monotonic() < deadline, (folder / "errors").read_text()
        time.sleep(0.01)
