"""What the bytes of a document say it is, its letters, and why it gives no text.

A reason stands in words that follow "the document …".

Unreadable
├── NotSupported      nothing here reads that kind
└── ReadingRefused    malformed, locked, or costlier than the limits
"""

import codecs
import re
from contextlib import suppress
from enum import StrEnum


class Unreadable(Exception):
    outcome = "refused"


class NotSupported(Unreadable):
    outcome = "unsupported"


class ReadingRefused(Unreadable):
    pass


class Kind(StrEnum):
    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"
    CSV = "csv"
    JSON = "json"
    PDF = "pdf"
    DOCX = "docx"
    XLSX = "xlsx"
    PPTX = "pptx"


HEAD_BYTES = 8192

PLAIN_KINDS = frozenset({Kind.TEXT, Kind.MARKDOWN, Kind.HTML, Kind.CSV, Kind.JSON})

_PDF = re.compile(rb"(?:\xef\xbb\xbf)?\s*%PDF-\d")
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_PACKAGE = (b"PK\x03\x04", b"PK\x05\x06")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def sniff(head: bytes, declared: Kind) -> Kind | None:
    """Returns the kind by its first bytes; None for a package, which says only inside which one it is.

    Among the plain kinds the declaration stands: what is a page to one is its source to another.
    """
    if _PDF.match(head) or (declared is Kind.PDF and b"%PDF-" in head[:1024]):
        return Kind.PDF
    if head.startswith(_PACKAGE):
        return None
    if head.startswith(_OLD_OFFICE):
        raise NotSupported("is an Office file of the old format, or one behind a password")
    if head.startswith(b"{\\rtf"):
        raise NotSupported("is RTF, which is not read")
    if declared in PLAIN_KINDS:
        return declared
    return Kind.HTML if _HTML.match(head) else Kind.TEXT


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # Before UTF-16, whose mark is the beginning of this one.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_FALLBACK = "cp1252"
# A charset that is declared is used if it is one of these; latin-1 is what cp1252 is called in the wild.
_TAKEN = re.compile(
    r"iso8859-(?!1$)\d+|cp125[0-8]|cp8(?:66|74)|koi8-[rut]|mac-(?:roman|cyrillic)"
    r"|shift_jis|cp932|euc_jp|gb2312|gbk|gb18030|big5|big5hkscs|euc_kr|cp949"
)
_PARAMETER = re.compile(r"""charset\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
_SAMPLE_BYTES = 64 * 1024


def find_charset(content_type: str, head: bytes) -> str | None:
    """Returns the codec that the type or a page's head names, looked up while modules can be loaded."""
    for codec in (_FALLBACK, *(name for _, name in _MARKS)):
        codecs.lookup(codec)
    declared = _PARAMETER.search(content_type) or _PARAMETER.search(head[:2048].decode("latin-1"))
    try:
        name = codecs.lookup(declared[1]).name if declared else None
    except LookupError:
        return None
    return name if name and _TAKEN.fullmatch(name) else None


def decode(content: bytes, charset: str | None) -> str:
    """Decodes by a mark, then as UTF-8 if valid, then as declared, then as cp1252."""
    for mark, codec in _MARKS:
        if content.startswith(mark):
            return _decode(content[len(mark) :], codec, "replace")
    sample = content[:_SAMPLE_BYTES]
    if unmarked := _unmarked_utf16(sample):
        return _decode(content, unmarked, "replace")
    if b"\0" in content or 20 * (len(sample) - len(sample.translate(None, _CONTROLS))) > len(sample):
        raise NotSupported("holds binary data, not text")
    for likely in filter(None, ("utf-8", charset)):
        with suppress(UnicodeDecodeError):
            return _decode(content, likely, "strict")
    return _decode(content, _FALLBACK, "replace")


def _decode(content: bytes, codec: str, errors: str) -> str:
    """Decodes a text; a letter that was cut at the end is left out, not wrong."""
    return codecs.getincrementaldecoder(codec)(errors).decode(content)


def _unmarked_utf16(sample: bytes) -> str | None:
    """Recognizes UTF-16 by the zeros that every other byte is, in a text of mostly Latin letters."""
    half = len(sample) // 2
    zeros = sample[0 : 2 * half : 2].count(0), sample[1 : 2 * half : 2].count(0)
    if half and max(zeros) >= 0.4 * half and min(zeros) <= 0.02 * half:
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    return None
