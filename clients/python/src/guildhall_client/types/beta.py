"""What the API says about beta."""

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict


class BetaChallenge(TypedDict):
    algorithm: Literal["sha-256"]
    #: How many zero bits SHA-256 of nonce:solution starts with
    difficulty: int
    expires_at: str
    nonce: str
    signature: str


class BetaConfig(TypedDict):
    #: Addresses of logo, hero and font
    assets: dict[str, Any]
    #: The experience's texts by key
    copy: dict[str, Any]
    dir: Literal["ltr", "rtl"]
    #: The form, in the language that is answered
    fields: list[dict[str, Any]]
    locale: str
    locales: list[dict[str, Any]]
    published: bool
    #: Whether /beta/template is the team's own
    template: bool
    #: The page's own ICU messages by key
    texts: dict[str, Any]
    #: Every token: the theme over the default
    theme: dict[str, Any]
    #: 0 for an experience that nobody has published
    version: int


class BetaCreateAssetReply(TypedDict):
    content_type: str
    created_at: str
    created_by: str
    filename: str | None
    id: str
    kind: Literal["logo", "hero", "font"]
    sha256: str
    size: int
    url: str


class BetaDecideProspectReplySignals(TypedDict):
    #: The same for sign-ups from one address; it does not say which
    address_hash: str
    agent: str
    difficulty: int
    #: The address is of a domain that gives out ones to throw away
    disposable: bool
    #: The field that people do not see was filled in
    honeypot: bool
    judge_problem: str | None
    referrer_host: str | None
    #: How often the same address signed up again
    repeats: int
    #: From asking for the challenge to signing up
    seconds_to_submit: int
    subnet_hash: str


class BetaDecideProspectReplyVerdict(TypedDict):
    model: str
    reason: str
    recommendation: Literal["accept", "decline", "review"]
    score: int


class BetaDecideProspectReply(TypedDict):
    created_at: str
    decided_at: str | None
    decided_by: str | None
    #: The answers, by the names of the form's fields
    fields: dict[str, Any]
    id: str
    locale: str
    note: str | None
    signals: BetaDecideProspectReplySignals
    status: Literal["captured", "accepted", "declined"]
    verdict: BetaDecideProspectReplyVerdict | None


class BetaExperience(TypedDict):
    assets: dict[str, Any]
    #: Texts by language, then by key: title, subtitle, submit, thanks; label_<field>, help_<field>,
    #: placeholder_<field> and option_<field>_<n> are of the form; a template has slots for all
    copy: dict[str, Any]
    fields: list[dict[str, Any]]
    judge_prompt: str
    #: The plugins whose experience can be made the draft
    offers: list[str]
    saved_at: str | None
    saved_by: str | None
    template: str | None
    #: Theme tokens, as branding takes them
    theme: dict[str, Any]
    #: How often it was saved; 0 for a draft that is not saved yet
    version: int


class BetaPreviewExperienceReply(TypedDict):
    expires_at: str
    url: str


class BetaPublishExperienceReply(TypedDict):
    assets: dict[str, Any]
    #: Texts by language, then by key: title, subtitle, submit, thanks; label_<field>, help_<field>,
    #: placeholder_<field> and option_<field>_<n> are of the form; a template has slots for all
    copy: dict[str, Any]
    #: Whether this is the version that visitors see
    current: bool
    fields: list[dict[str, Any]]
    id: str
    judge_prompt: str
    published_at: str
    published_by: str
    template: str | None
    #: Theme tokens, as branding takes them
    theme: dict[str, Any]
    version: int


class SetExperienceBetaAssets(TypedDict):
    font: NotRequired[str | None]
    hero: NotRequired[str | None]
    logo: NotRequired[str | None]


class SetExperienceBetaField(TypedDict):
    label: str
    max_length: NotRequired[int]
    #: a-z, 0-9 and _, a letter first
    name: str
    options: NotRequired[Sequence[str]]
    required: NotRequired[bool]
    type: Literal["text", "email", "textarea", "select", "checkbox", "url"]


class BetaSignupReply(TypedDict):
    status: Literal["received"]


class BetaCreateAssetReplyPage(TypedDict):
    items: list[BetaCreateAssetReply]
    next_cursor: str | None


class BetaExperienceVersion(TypedDict):
    #: Whether this is the version that visitors see
    current: bool
    id: str
    published_at: str
    published_by: str
    version: int


class BetaExperienceVersionPage(TypedDict):
    items: list[BetaExperienceVersion]
    next_cursor: str | None


class BetaDecideProspectReplyPage(TypedDict):
    items: list[BetaDecideProspectReply]
    next_cursor: str | None


__all__ = [
    "BetaChallenge",
    "BetaConfig",
    "BetaCreateAssetReply",
    "BetaCreateAssetReplyPage",
    "BetaDecideProspectReply",
    "BetaDecideProspectReplyPage",
    "BetaDecideProspectReplySignals",
    "BetaDecideProspectReplyVerdict",
    "BetaExperience",
    "BetaExperienceVersion",
    "BetaExperienceVersionPage",
    "BetaPreviewExperienceReply",
    "BetaPublishExperienceReply",
    "BetaSignupReply",
    "SetExperienceBetaAssets",
    "SetExperienceBetaField",
]
