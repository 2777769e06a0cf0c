"""What the API says about passkeys."""

from typing import TypedDict


class Passkey(TypedDict):
    created_at: str
    id: str
    last_used_at: str | None
    name: str
    #: It verifies its owner, and so signs in without a password
    signs_in: bool
    #: Its maker keeps copies of it on further devices
    synced: bool


class PasskeyPage(TypedDict):
    items: list[Passkey]
    next_cursor: str | None


class PasskeyCreateOptionReplyExcludeCredential(TypedDict):
    pass


class PasskeyCreateOptionReplyRp(TypedDict):
    id: str
    name: str


class PasskeyCreateOptionReplyUser(TypedDict):
    displayName: str
    id: str
    name: str


class PasskeyCreateOptionReply(TypedDict):
    challenge: str
    excludeCredentials: list[PasskeyCreateOptionReplyExcludeCredential]
    pubKeyCredParams: list[PasskeyCreateOptionReplyExcludeCredential]
    rp: PasskeyCreateOptionReplyRp
    user: PasskeyCreateOptionReplyUser


class RegisterPasskeyCredential(TypedDict):
    pass


__all__ = [
    "Passkey",
    "PasskeyCreateOptionReply",
    "PasskeyCreateOptionReplyExcludeCredential",
    "PasskeyCreateOptionReplyRp",
    "PasskeyCreateOptionReplyUser",
    "PasskeyPage",
    "RegisterPasskeyCredential",
]
