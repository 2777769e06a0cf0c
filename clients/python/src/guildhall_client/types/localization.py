"""What the API says about localization."""

from typing import Any, Literal, TypedDict


class LocalizationCatalog(TypedDict):
    #: Where each text is looked for, in this order
    chain: list[str]
    #: The language that was asked for, or the default
    locale: str
    #: ICU messages by key
    messages: dict[str, Any]


class LocalizationDiscardReply(TypedDict):
    discarded: int


class LocalizationDraftReply(TypedDict):
    jobs: list[str]
    #: Messages that a job was queued for, at most 20
    queued: int
    #: Missing messages that no job is under way for
    remaining: int


class LocalizationExportMessagesReply(TypedDict):
    locale: str
    written: int


class LocalizationImportMessagesReply(TypedDict):
    imported: int
    stale: int
    updated: int


class LocalizationReviewReply(TypedDict):
    approved_text: str | None
    comment: str | None
    id: str
    key: str
    locale: str
    ns: str
    origin: Literal["file", "machine", "human"] | None
    previous_source: str | None
    problem: str | None
    reviewed_by: str | None
    source: str
    status: Literal["missing", "machine", "submitted", "returned", "approved", "stale"]
    submitted_by: str | None
    text: str | None
    updated_at: str
    #: What If-Match names, in quotes: "3"
    version: int


class LocalizationSetMessageReplyWarning(TypedDict):
    code: str
    message: str


class LocalizationSetMessageReply(TypedDict):
    approved_text: str | None
    comment: str | None
    id: str
    key: str
    locale: str
    ns: str
    origin: Literal["file", "machine", "human"] | None
    previous_source: str | None
    problem: str | None
    reviewed_by: str | None
    source: str
    status: Literal["missing", "machine", "submitted", "returned", "approved", "stale"]
    submitted_by: str | None
    text: str | None
    updated_at: str
    #: What If-Match names, in quotes: "3"
    version: int
    warnings: list[LocalizationSetMessageReplyWarning]


class LocalizationSetPolicyReplyLocale(TypedDict):
    code: str
    dir: Literal["ltr", "rtl"]
    name: str


class LocalizationSetPolicyReply(TypedDict):
    default_locale: str
    locales: list[LocalizationSetPolicyReplyLocale]
    #: Whether people may choose another language than the default
    switching: bool


class LocalizationCoverage(TypedDict):
    approved: int
    locale: str
    machine: int
    missing: int
    returned: int
    stale: int
    submitted: int
    total: int


class LocalizationCoveragePage(TypedDict):
    items: list[LocalizationCoverage]
    next_cursor: str | None


class LocalizationHistoryBy(TypedDict):
    id: str
    name: str


class LocalizationHistory(TypedDict):
    action: str
    at: str
    by: LocalizationHistoryBy | None
    comment: str | None
    text: str | None
    version: int


class LocalizationHistoryPage(TypedDict):
    items: list[LocalizationHistory]
    next_cursor: str | None


class LocalizationReviewReplyPage(TypedDict):
    items: list[LocalizationReviewReply]
    next_cursor: str | None


__all__ = [
    "LocalizationCatalog",
    "LocalizationCoverage",
    "LocalizationCoveragePage",
    "LocalizationDiscardReply",
    "LocalizationDraftReply",
    "LocalizationExportMessagesReply",
    "LocalizationHistory",
    "LocalizationHistoryBy",
    "LocalizationHistoryPage",
    "LocalizationImportMessagesReply",
    "LocalizationReviewReply",
    "LocalizationReviewReplyPage",
    "LocalizationSetMessageReply",
    "LocalizationSetMessageReplyWarning",
    "LocalizationSetPolicyReply",
    "LocalizationSetPolicyReplyLocale",
]
