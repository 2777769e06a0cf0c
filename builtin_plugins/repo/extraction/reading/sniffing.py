"""What the bytes say a document is: they win over its type and its name."""

import re

from .declared import Kind
from .refusal import NotSupported

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
