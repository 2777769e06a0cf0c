"""What the API says about two factor."""

from typing import TypedDict


class TwoFactorCreatePasskeyReply(TypedDict):
    recovery_codes: list[str]


class TwoFactorEnableReply(TypedDict):
    otpauth_uri: str
    recovery_codes: list[str]
    secret: str


class TwoFactorRecoveryCodes(TypedDict):
    unspent: int


__all__ = ["TwoFactorCreatePasskeyReply", "TwoFactorEnableReply", "TwoFactorRecoveryCodes"]
