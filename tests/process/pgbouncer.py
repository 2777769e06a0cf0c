"""Debian's pgbouncer in front of a PostgreSQL of the tests, pooling transactions over two connections."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
_PORT = 6543
_START_SECONDS = 30
_SETTINGS = """
[databases]
* = host={server}
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 2
max_client_conn = 500
ignore_startup_parameters = {ignored}
logfile = {folder}/log
"""


@contextmanager
def pgbouncer(url: str, *, ignored: str = "") -> Iterator[str]:
    """Gives the URL of the same database through the pooler; `ignored` startup parameters are lost."""
    assert PROGRAM is not None
    parts = urlsplit(url)
    folder = Path(tempfile.mkdtemp(prefix="guildhall-pooler-", dir="/tmp"))
    server = parse_qs(parts.query)["host"][0]
    text = _SETTINGS.format(server=server, port=_PORT, folder=folder, ignored=ignored)
    (folder / "pgbouncer.ini").write_text(text)
    (folder / "users").write_text(f'"{parts.username}" ""\n')
    as_root = os.geteuid() == 0  # which it refuses to run as
    if as_root:
        nobody = pwd.getpwnam("nobody")
        for path in (folder, *folder.iterdir()):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
    process = subprocess.Popen(
        [PROGRAM, "-q", folder / "pgbouncer.ini"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user="nobody" if as_root else None,
    )
    try:
        _wait_for(folder / f".s.PGSQL.{_PORT}", process)
        yield f"postgresql://{parts.username}@{parts.path}?host={folder}&port={_PORT}"
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(path)) == 0:
                return
        assert process.poll() is None and time.monotonic() < deadline, "pgbouncer does not start"
        time.sleep(0.01)
