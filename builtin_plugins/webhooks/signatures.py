"""Who sent a message: signatures of Standard Webhooks, GitHub, Stripe and Slack, and their delivery ids."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, Literal, get_args

from builtin_plugins.webhooks.webhook import SECRET_PREFIX, key_of
from guildhall_sdk import InvalidRequest
from guildhall_sdk.errors import Problem

Scheme = Literal["standard", "github", "stripe", "slack", "none"]
SCHEMES: tuple[str, ...] = get_args(Scheme)
#: A time that is further off may be a message that somebody has kept.
TOLERANCE_SECONDS = 300
MAX_KEY = 256
_MIN_SECRET, _MAX_SECRET = 8, 256
_MIN_BYTES, _MAX_BYTES = 16, 128


class SignatureInvalid(
    Problem, status=401, code="signature_invalid", title="The signature does not fit the message"
):
    """Raised for a message that nobody with the secret sent, or not just now."""


def check_signature(
    scheme: str, secret: str, headers: Mapping[str, str], body: bytes, now_seconds: int
) -> None:
    """Raises `SignatureInvalid` unless whoever has the secret sent this, at most five minutes ago."""
    if scheme == "standard":
        seconds = _seconds(headers.get("webhook-timestamp", ""), now_seconds)
        signed = b"%s.%d.%s" % (_ascii(headers.get("webhook-id", "")), seconds, body)
        expected = base64.b64encode(_mac(key_of(secret), signed))
        given = [one.partition(",")[2] for one in headers.get("webhook-signature", "").split()[:8]]
    elif scheme == "github":
        expected = _mac(secret.encode(), body).hex().encode()
        given = [headers.get("x-hub-signature-256", "").removeprefix("sha256=")]
    elif scheme == "stripe":
        parts = [part.partition("=") for part in headers.get("stripe-signature", "").split(",")[:16]]
        times = [value for name, _, value in parts if name.strip() == "t"]
        seconds = _seconds(times[0] if times else "", now_seconds)
        expected = _mac(secret.encode(), b"%d.%s" % (seconds, body)).hex().encode()
        given = [value for name, _, value in parts if name.strip() == "v1"]
    else:
        seconds = _seconds(headers.get("x-slack-request-timestamp", ""), now_seconds)
        expected = _mac(secret.encode(), b"v0:%d:%s" % (seconds, body)).hex().encode()
        given = [headers.get("x-slack-signature", "").removeprefix("v0=")]
    if not any(hmac.compare_digest(_ascii(one), expected) for one in given):
        raise SignatureInvalid("The signature is not one of this body with the secret of this address.")


def delivery_key(scheme: str, headers: Mapping[str, str], content: Any) -> str | None:
    """Returns the sender's own id of a message, by which a repeat is known."""
    members = content if isinstance(content, dict) else {}
    found: Any = {
        "standard": headers.get("webhook-id"),
        "github": headers.get("x-github-delivery"),
        "stripe": members.get("id"),
        "slack": members.get("event_id"),
        "none": headers.get("webhook-id"),
    }[scheme]
    if not isinstance(found, str) or not found:
        return None
    return found if len(found) <= MAX_KEY else hashlib.sha256(found.encode()).hexdigest()


def check_secret(scheme: str, secret: str) -> None:
    """Raises `InvalidRequest` for a secret of somebody else that cannot be one."""
    if scheme == "none":
        raise InvalidRequest.at("/secret", "is for a scheme that signs; choose one, or leave it out")
    fault = f"takes {_MIN_SECRET} to {_MAX_SECRET} printable characters of ASCII, without spaces"
    if not (_MIN_SECRET <= len(secret) <= _MAX_SECRET and secret.isascii() and secret.isprintable()):
        raise InvalidRequest.at("/secret", fault)
    if " " in secret:
        raise InvalidRequest.at("/secret", fault)
    if scheme != "standard":
        return
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not (secret.startswith(SECRET_PREFIX) and _MIN_BYTES <= len(key) <= _MAX_BYTES):
        raise InvalidRequest.at("/secret", "is whsec_ and base64 of 16 to 128 bytes behind it")


def _seconds(text: str, now_seconds: int) -> int:
    """Returns a time that is close enough to now."""
    seconds = int(text) if text.isascii() and text.isdigit() and len(text) <= 12 else -TOLERANCE_SECONDS
    if abs(now_seconds - seconds) > TOLERANCE_SECONDS:
        raise SignatureInvalid("The message has no time, or one that is more than five minutes off.")
    return seconds


def _mac(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def _ascii(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
