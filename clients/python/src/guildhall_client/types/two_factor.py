"""What the API says about two factor."""

from typing import TypedDict


class TwoFactorEnableReply(TypedDict):
    otpauth_uri: str
    recovery_codes: list[str]
    secret: str


class TwoFactorRecoveryCodes(TypedDict):
    unspent: int


class TwoFactorRenewRecoveryCodesReply(TypedDict):
    recovery_codes: list[str]


__all__ = ["TwoFactorEnableReply", "TwoFactorRecoveryCodes", "TwoFactorRenewRecoveryCodesReply"]
