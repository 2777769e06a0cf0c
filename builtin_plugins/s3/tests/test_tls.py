"""Through a proxy that takes TLS off: clients then frame their bodies otherwise."""

import asyncio
import ssl
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

pytestmark = pytest.mark.any_database


@asynccontextmanager
async def tls_proxy(tmp_path, target):
    """Takes TLS off, as a reverse proxy does."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "proxy.pem"
    pem.write_bytes(
        certificate.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem)
    host, _, port = target.removeprefix("http://").partition(":")

    async def pump(reader, writer):
        try:
            while piece := await reader.read(65536):
                writer.write(piece)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def forward(reader, writer):
        onward, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(pump(reader, back), pump(onward, writer))

    server = await asyncio.start_server(forward, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"https://localhost:{server.sockets[0].getsockname()[1]}", str(pem)


async def test_over_tls_boto3_frames_its_uploads_and_they_are_unwrapped(hall, tmp_path, open_bucket):
    async with tls_proxy(tmp_path, hall.addresses["s3"]) as (endpoint, pem):
        bucket = await open_bucket(hall.acme.owner, endpoint=endpoint, config={"verify": pem})
        body = bytes(range(256)) * 4 * 1024
        await bucket.put_object(Key="framed", Body=body, ContentEncoding="gzip")
        head = await bucket.head_object(Key="framed", ChecksumMode="ENABLED")
        assert head["ContentLength"] == len(body)
        assert head["ContentEncoding"] == "gzip"
        assert head["ChecksumCRC32"]
        assert await bucket.read("framed") == body
        upload = (await bucket.create_multipart_upload(Key="parts"))["UploadId"]
        part = await bucket.upload_part(Key="parts", UploadId=upload, PartNumber=1, Body=body)
        named = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"], "ChecksumCRC32": part["ChecksumCRC32"]}]}
        await bucket.complete_multipart_upload(Key="parts", UploadId=upload, MultipartUpload=named)
        assert await bucket.read("parts") == body
        await bucket.delete_objects(Delete={"Objects": [{"Key": "parts"}, {"Key": "framed"}]})
        assert await bucket.keys() == []
        bucket.client.close()
