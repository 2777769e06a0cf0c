"""A PostgreSQL of the tests behind TLS, with certificates made on the spot."""

import asyncio
import os
import pwd
import shutil
import signal
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

#: Debian's, where it is there: the one of the pip package speaks no TLS itself.
PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
_SSL_REQUEST = bytes.fromhex("0000000804d2162f")


@dataclass(frozen=True)
class Certificate:
    """A certificate that signs itself, and its key, for 127.0.0.1."""

    path: Path
    key: Path


def certificate(folder: Path, name: str = "server") -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{name} of a test")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    found = Certificate(folder / f"{name}.crt", folder / f"{name}.key")
    found.path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    found.key.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    found.key.chmod(0o600)
    return found


@asynccontextmanager
async def behind_tls(url: str, own: Certificate) -> AsyncIterator[str]:
    """Gives `127.0.0.1:port` where the PostgreSQL of the URL answers, by TLS alone."""
    folder = parse_qs(urlsplit(url).query)["host"][0]
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(own.path, own.key)

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await reader.readexactly(8) != _SSL_REQUEST:
            writer.close()
            return
        writer.write(b"S")
        with suppress(OSError):
            await writer.start_tls(context)
            inner_reader, inner_writer = await asyncio.open_unix_connection(f"{folder}/.s.PGSQL.5432")
            await asyncio.gather(_pump(reader, inner_writer), _pump(inner_reader, writer))

    async with await asyncio.start_server(pass_on, "127.0.0.1") as server:
        host, port = server.sockets[0].getsockname()
        yield f"{host}:{port}"


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


@contextmanager
def tls_server(folder: Path, own: Certificate, free_port: Callable[[], int]) -> Iterator[str]:
    """Gives `127.0.0.1:port` of Debian's PostgreSQL, which lets nobody in without TLS."""
    assert PROGRAMS is not None
    as_root = os.geteuid() == 0
    data, port = folder / "data", free_port()
    data.mkdir(mode=0o700)
    for made in (own.path, own.key):
        shutil.copy(made, data.parent / f"own{made.suffix}")
    nobody = pwd.getpwnam("nobody")
    user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []} if as_root else {}
    if as_root:
        for path in (folder, *folder.iterdir()):
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
    (folder / "own.key").chmod(0o600)
    flags = ("-U", "guildhall", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
    subprocess.run(
        [PROGRAMS / "initdb", "-D", data, *flags], check=True, capture_output=True, cwd=folder, **user
    )
    (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 trust\nlocal all all trust\n")
    settings = {
        "ssl": "on",
        "ssl_cert_file": folder / "own.crt",
        "ssl_key_file": folder / "own.key",
        "listen_addresses": "127.0.0.1",
        "port": port,
        "fsync": "off",
        "unix_socket_directories": "",
    }
    options = [f"--{name}={value}" for name, value in settings.items()]
    process = subprocess.Popen(
        [PROGRAMS / "postgres", "-D", data, *options],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **user,
    )
    try:
        yield f"127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)  # at once, and nothing of it stays in memory
        process.wait()
