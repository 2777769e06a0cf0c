"""What the API says about oauth."""

from typing import TypedDict


class OauthConsentReply(TypedDict):
    redirect_to: str


class OauthConsentCheckReplyClient(TypedDict):
    id: str
    name: str


class OauthConsentCheckReplyPermission(TypedDict):
    description: str
    name: str


class OauthConsentCheckReply(TypedDict):
    answers_to: str | None
    client: OauthConsentCheckReplyClient
    permissions: list[OauthConsentCheckReplyPermission]
    team: OauthConsentCheckReplyClient


__all__ = [
    "OauthConsentCheckReply",
    "OauthConsentCheckReplyClient",
    "OauthConsentCheckReplyPermission",
    "OauthConsentReply",
]
