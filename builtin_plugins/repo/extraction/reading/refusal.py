"""Why a document gives no text, in words that follow "the document …".

Unreadable
├── NotSupported      nothing here reads that kind
└── ReadingRefused    malformed, locked, or costlier than the limits
"""


class Unreadable(Exception):
    outcome = "refused"


class NotSupported(Unreadable):
    outcome = "unsupported"


class ReadingRefused(Unreadable):
    pass
