"""A proxy that takes TLS off, as people put one in front, with a certificate for this one test."""

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_PIECE = 64 * 1024


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """Of an authority that nobody else trusts: what to trust, and what the proxy shows with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a test of Guildhall")])
    now = datetime.now(UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    trusted, shown = folder / "trusted.pem", folder / "shown.pem"
    trusted.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    kind = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    shown.write_bytes(key.private_bytes(serialization.Encoding.PEM, *kind) + trusted.read_bytes())
    return trusted, shown


@asynccontextmanager
async def tls_in_front_of(address: str, shown: Path) -> AsyncIterator[str]:
    """The address of the proxy."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(shown)
    host, _, port = address.removeprefix("http://").partition(":")

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(_pass_on(reader, back), _pass_on(onward, writer))

    async with await asyncio.start_server(forward, "127.0.0.1", 0, ssl=context) as server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        return
    finally:
        writer.close()
