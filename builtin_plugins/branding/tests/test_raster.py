"""Raster pictures are what they say from the first byte to the last."""

import struct
import zlib

import pytest

from builtin_plugins.branding.upload import read_logo
from guildhall_sdk import InvalidRequest


def chunk(kind, body=b""):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width=2, height=3, *, header=None, extra=b"", drawn=True, end=True):
    header = header or struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = chunk(b"IDAT", zlib.compress(b"\0" * (width % 5000 + 1))) if drawn else b""
    end_chunk = chunk(b"IEND") if end else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + data + end_chunk


def gif(width=2, height=3, *, blocks=b"", image=True, tail=b";"):
    screen = struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    picture = b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x44\x01\x00"
    return b"GIF89a" + screen + blocks + (picture if image else b"") + tail


def jpeg(width=2, height=3, *, segments=b"", frame=True, scan=True, tail=b"\xff\xd9"):
    quantization = b"\xff\xdb" + struct.pack(">H", 67) + bytes(65)
    start = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    scanned = (
        b"\xff\xda" + struct.pack(">H", 8) + b"\x01\x01\x00\x00\x3f\x00" + b"\x12\xff\x00\x34\xff\xd0\x56"
    )
    return (
        b"\xff\xd8" + segments + quantization + (start if frame else b"") + (scanned if scan else b"") + tail
    )


def riff(*chunks, size=None):
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2) for kind, data in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body


def lossy(width=2, height=3):
    return b"VP8 ", b"\x10\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height) + b"\0\0\0"


def lossless(width=2, height=3):
    return b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"\0\0\0"


def extended(width=2, height=3):
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return b"VP8X", b"\x10\0\0\0" + sides


SOUND = {
    "png": ("image/png", png()),
    "png with text": ("image/png", png(extra=chunk(b"tEXt", b"Author\0Ada"))),
    "png at most": ("image/png", png(4096, 4096)),
    "gif": ("image/gif", gif()),
    "gif87a": ("image/gif", gif().replace(b"GIF89a", b"GIF87a", 1)),
    "gif with a comment": ("image/gif", gif(blocks=b"!\xfe\x05hello\0")),
    "jpeg": ("image/jpeg", jpeg()),
    "jpeg with a comment": ("image/jpeg", jpeg(segments=b"\xff\xfe\x00\x07hello")),
    "jpeg with fill bytes": ("image/jpeg", jpeg(segments=b"\xff\xff\xff\xfe\x00\x07hello")),
    "webp lossy": ("image/webp", riff(lossy())),
    "webp lossless": ("image/webp", riff(lossless())),
    "webp extended": ("image/webp", riff(extended(), lossless())),
}

NO_PICTURES = {
    "empty png": png(drawn=False),
    "png without an end": png(end=False),
    "png cut off": png()[:-5],
    "png with a wrong checksum": png()[:-1] + b"x",
    "png header alone": b"\x89PNG\r\n\x1a\n",
    "png with a zip behind": png() + b"PK\x03\x04",
    "png with html behind": png() + b"<script>alert(1)</script>",
    "png of no width": png(0, 3),
    "png too wide": png(4097, 1),
    "png bomb": png(header=struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 6, 0, 0, 0)),
    "png of odd depth": png(header=struct.pack(">IIBBBBB", 2, 3, 7, 0, 0, 0, 0)),
    "png with two headers": png(extra=chunk(b"IHDR", struct.pack(">IIBBBBB", 9, 9, 8, 0, 0, 0, 0))),
    "png whose first chunk is no header": b"\x89PNG\r\n\x1a\n" + chunk(b"tEXt", b"x") + png()[8:],
    "png with a short header": png(header=b"\0" * 12),
    "png with a length beyond": b"\x89PNG\r\n\x1a\n" + b"\xff\xff\xff\xffIHDR",
    "gif/js by a comment": b"GIF89a/*" + b"\x00" * 20 + b"*/=1;alert(document.domain)//;",
    "gif/js by an assignment": b"GIF89a=1;alert(1);",
    "gif/js with a sound body": b"GIF89a/*" + gif()[8:],
    "gif/js behind the trailer": gif() + b"*/=1;alert(1)",
    "gif/html": b"GIF89a<script>alert(1)</script>",
    "gif without a picture": gif(image=False),
    "gif without a trailer": gif(tail=b""),
    "gif of no size": gif(0, 0),
    "gif with an unknown block": gif(blocks=b"\x99"),
    "gif header alone": b"GIF89a",
    "gif whose block never ends": gif(blocks=b"!\xfe\xff"),
    "jpeg without an end": jpeg(tail=b""),
    "jpeg without a frame": jpeg(frame=False),
    "jpeg without a scan": jpeg(scan=False),
    "jpeg of no height": jpeg(2, 0),
    "jpeg too tall": jpeg(2, 60_000),
    "jpeg with javascript behind": jpeg() + b"*/=alert(1)",
    "jpeg/js": b"\xff\xd8\xff\xe0/*" + jpeg()[4:] + b"*/=alert(1)//",
    "jpeg with a segment beyond": b"\xff\xd8\xff\xe0\xff\xff",
    "jpeg with a segment of no length": jpeg(segments=b"\xff\xe0\x00\x00"),
    "jpeg with garbage between": jpeg(segments=b"garbage"),
    "jpeg start alone": b"\xff\xd8\xff",
    "webp that is longer than it says": riff(lossy()) + b"<script>",
    "webp that is shorter than it says": riff(lossy(), size=9999),
    "webp without a picture": riff((b"EXIF", b"1234")),
    "webp that is empty": riff(),
    "webp with a broken header": riff((b"VP8 ", b"\0" * 10)),
    "webp of no width": riff(lossy(0, 3)),
    "webp too wide": riff(extended(20_000, 2), lossless()),
    "webp whose chunk goes beyond": riff((b"VP8L", b"\x2f\0\0\0\0"))[:-6] + b"\xff" * 6,
    "a wave file": riff(lossy()).replace(b"WEBP", b"WAVE"),
    "html": b"<html><script>alert(1)</script></html>",
    "javascript": b"alert(1)",
    "pdf": b"%PDF-1.7\n",
    "zip": b"PK\x03\x04" + bytes(40),
    "bmp": b"BM" + bytes(60),
    "ico": b"\x00\x00\x01\x00" + bytes(60),
    "tiff": b"II*\x00" + bytes(60),
    "one byte": b"\x00",
    "a png a line too late": b"\n" + png(),
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_picture_is_taken_as_what_it_is(name, upload_of):
    content_type, content = SOUND[name]
    logo = read_logo(**upload_of(content, content_type))
    assert (logo.content_type, logo.size) == (content_type, len(content))


@pytest.mark.parametrize("name", SOUND)
def test_a_picture_under_another_type_is_refused(name, upload_of):
    actual, content = SOUND[name]
    for content_type in {content_type for content_type, _ in SOUND.values()} | {"image/svg+xml"}:
        if content_type != actual:
            with pytest.raises(InvalidRequest) as refused:
                read_logo(**upload_of(content, content_type))
            assert refused.value.errors[0]["pointer"] == "/content_type"


@pytest.mark.parametrize("name", NO_PICTURES)
def test_what_is_no_picture_is_refused_under_every_type(name, upload_of):
    for content_type in ("image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"):
        with pytest.raises(InvalidRequest) as refused:
            read_logo(**upload_of(NO_PICTURES[name], content_type))
        assert refused.value.errors[0]["pointer"] == "/data"


@pytest.mark.parametrize("name", SOUND)
def test_a_picture_cut_anywhere_is_refused(name, upload_of):
    content_type, content = SOUND[name]
    for length in range(1, len(content)):
        with pytest.raises(InvalidRequest):
            read_logo(**upload_of(content[:length], content_type))


@pytest.mark.parametrize("name", SOUND)
def test_a_picture_with_one_byte_more_is_refused(name, upload_of):
    content_type, content = SOUND[name]
    with pytest.raises(InvalidRequest):
        read_logo(**upload_of(content + b"\0", content_type))
