"""The policy of a form: what its signer lets others upload, and until when; and the signature itself."""

import base64
import hmac
import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from builtin_plugins.s3.wire.errors import (
    AccessDenied,
    AuthorizationQueryParametersError,
    EntityTooLarge,
    EntityTooSmall,
    InvalidArgument,
    InvalidPolicyDocument,
    InvalidRequest,
    SignatureDoesNotMatch,
)
from builtin_plugins.s3.wire.sigv4 import (
    ALGORITHM,
    MAX_EXPIRY_S,
    MAX_SKEW_MS,
    TIMESTAMP,
    UNSIGNED_PAYLOAD,
    VERSION_2,
    Signature,
    SigningScope,
    checked_signature,
    moment_ms,
    parse_credential,
    sign,
    signing_key,
)

# Fields that a policy says nothing about.
_EXEMPT = frozenset({"policy", "x-amz-signature"})
_IGNORED = "x-ignore-"
_RANGE = "content-length-range"
_OPERATORS = frozenset({"eq", "starts-with"})
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z", re.ASCII)
_SIZE = re.compile(r"\d{1,15}", re.ASCII)


class Condition(NamedTuple):
    """A condition on one field: what it must be, or begin with."""

    operator: str
    field: str
    value: str

    def holds(self, fields: Mapping[str, str]) -> bool:
        found = fields.get(self.field)
        if found is None:
            return False
        if self.operator == "eq":
            return found == self.value
        if self.field != "content-type":
            return found.startswith(self.value)
        # It may be a list: then each of them must begin so.
        return all(value.strip().startswith(self.value) for value in found.split(","))

    def __str__(self) -> str:
        return json.dumps([self.operator, f"${self.field}", self.value], ensure_ascii=False)


class Policy(NamedTuple):
    """`min_size` and `max_size` are those of the file."""

    expires_ms: int
    conditions: tuple[Condition, ...]
    min_size: int = 0
    max_size: int | None = None

    def check_fields(self, fields: Mapping[str, str], now_ms: int) -> None:
        """Raises `AccessDenied` unless every condition holds, and every field has one."""
        if now_ms >= self.expires_ms:
            raise AccessDenied("Invalid according to Policy: Policy expired.")
        for condition in self.conditions:
            if not condition.holds(fields):
                raise AccessDenied(f"Invalid according to Policy: Policy Condition failed: {condition}")
        covered = {condition.field for condition in self.conditions} | _EXEMPT
        extra = [name for name in fields if name not in covered and not name.startswith(_IGNORED)]
        if extra:
            raise AccessDenied(f"Invalid according to Policy: Extra input fields: {', '.join(extra)}")

    def check_not_above(self, size: int) -> None:
        if self.max_size is not None and size > self.max_size:
            raise EntityTooLarge(
                "Your proposed upload exceeds the maximum allowed size",
                ProposedSize=str(size),
                MaxSizeAllowed=str(self.max_size),
            )

    def check_not_below(self, size: int) -> None:
        if size < self.min_size:
            raise EntityTooSmall(
                "Your proposed upload is smaller than the minimum allowed size",
                ProposedSize=str(size),
                MinSizeAllowed=str(self.min_size),
            )


def parse_policy(encoded: str) -> Policy:
    """Parses JSON in base64; raises `InvalidPolicyDocument`."""
    try:
        document = json.loads(base64.b64decode(encoded, validate=True))
    except (ValueError, RecursionError):
        raise InvalidPolicyDocument("Invalid Policy: Invalid JSON.") from None
    if not isinstance(document, dict):
        raise InvalidPolicyDocument("Invalid Policy: A policy is an object.")
    for name in ("expiration", "conditions"):
        if name not in document:
            raise InvalidPolicyDocument(f"Invalid Policy: Policy missing {name}.")
    if unknown := document.keys() - {"expiration", "conditions"}:
        raise InvalidPolicyDocument(f"Invalid Policy: Unexpected: '{min(unknown)}'")
    if not isinstance(document["conditions"], list):
        raise InvalidPolicyDocument("Invalid Policy: The conditions are a list.")
    expires_ms = _moment_ms(document["expiration"])
    ranges = [_parse_range(one) for one in document["conditions"] if _is_range(one)]
    conditions = tuple(_parse_condition(one) for one in document["conditions"] if not _is_range(one))
    return Policy(
        expires_ms,
        conditions,
        max((low for low, _ in ranges), default=0),
        min((high for _, high in ranges), default=None),
    )


def _parse_condition(condition: Any) -> Condition:
    if isinstance(condition, dict):
        if len(condition) != 1:
            raise InvalidPolicyDocument(
                "Invalid Policy: Invalid Simple-Condition: "
                "Simple-Conditions must have exactly one property specified."
            )
        ((name, value),) = condition.items()
        return Condition("eq", name.lower(), _checked_value(value))
    if (
        not isinstance(condition, list)
        or len(condition) != 3
        or not all(isinstance(one, str) for one in condition[:2])
    ):
        raise InvalidPolicyDocument(
            'Invalid Policy: A condition is {"field": "value"} or ["operator", "$field", "value"].'
        )
    operator, name = condition[0].lower(), condition[1]
    if operator not in _OPERATORS:
        raise InvalidPolicyDocument(
            "Invalid Policy: The operators are eq, starts-with, content-length-range."
        )
    if not name.startswith("$"):
        raise InvalidPolicyDocument("Invalid Policy: A field is named with a $ before it.")
    return Condition(operator, name[1:].lower(), _checked_value(condition[2]))


def _is_range(condition: Any) -> bool:
    return isinstance(condition, list) and bool(condition) and str(condition[0]).lower() == _RANGE


def _parse_range(condition: list[Any]) -> tuple[int, int]:
    sizes = [
        str(size) for size in condition[1:] if isinstance(size, int | str) and not isinstance(size, bool)
    ]
    if len(condition) != 3 or len(sizes) != 2 or not all(_SIZE.fullmatch(size) for size in sizes):
        raise InvalidPolicyDocument("Invalid Policy: content-length-range takes two sizes in bytes.")
    return int(sizes[0]), int(sizes[1])


def _checked_value(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidPolicyDocument("Invalid Policy: The value of a condition is text.")
    return value


def _moment_ms(moment: Any) -> int:
    try:
        if not isinstance(moment, str) or not _MOMENT.fullmatch(moment):
            raise ValueError
        return int(datetime.fromisoformat(moment).timestamp() * 1000)
    except (ValueError, OverflowError):
        raise InvalidPolicyDocument(
            "Invalid Policy: Invalid 'expiration' value; it looks like 2026-01-31T12:00:00Z."
        ) from None


_NEEDED = ("Policy", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Signature")
_OF_VERSION_2 = frozenset({"awsaccesskeyid", "signature"})


class FormClaim(NamedTuple):
    """Nothing here is proven yet; `policy` is in base64, as it was signed."""

    access_key_id: str
    scope: SigningScope
    signature: str
    policy: str

    def verify(self, secret: str) -> Signature:
        key = signing_key(secret, self.scope.timestamp[:8], self.scope.region)
        expected = sign(key, self.policy)
        if not hmac.compare_digest(expected.encode(), self.signature.encode()):
            raise SignatureDoesNotMatch(AWSAccessKeyId=self.access_key_id)
        return Signature(self.access_key_id, self.scope, key, expected, UNSIGNED_PAYLOAD, presigned=True)


def read_form_claim(fields: Mapping[str, str], now_ms: int) -> FormClaim | None:
    """Reads a form's signature, or None if it has none; refuses one that is stale or malformed."""
    missing = [name for name in _NEEDED if name.lower() not in fields]
    if "X-Amz-Signature" in missing and fields.keys() & _OF_VERSION_2:
        raise InvalidRequest(VERSION_2)
    if len(missing) == len(_NEEDED):
        return None
    if missing:
        raise InvalidArgument(
            f"Bucket POST must contain a field named '{missing[0]}'. "
            "If it is specified, please check the order of the fields.",
            ArgumentName=missing[0],
            ArgumentValue="",
        )
    if fields["x-amz-algorithm"] != ALGORITHM:
        raise InvalidRequest(f"X-Amz-Algorithm must be {ALGORITHM}.")
    timestamp, malformed = fields["x-amz-date"], AuthorizationQueryParametersError
    if not TIMESTAMP.fullmatch(timestamp):
        raise malformed("X-Amz-Date must look like 20130524T000000Z.")
    access_key_id, scope = parse_credential(fields["x-amz-credential"], timestamp, malformed)
    _require_recent(moment_ms(timestamp), now_ms)
    signature = checked_signature(fields["x-amz-signature"], malformed)
    return FormClaim(access_key_id, scope, signature, fields["policy"])


def _require_recent(signed_ms: int, now_ms: int) -> None:
    """Refuses a form older than a link can be, however long the policy says."""
    if signed_ms - now_ms > MAX_SKEW_MS:
        raise AccessDenied("The form is not valid yet: its X-Amz-Date lies in the future.")
    if now_ms >= signed_ms + MAX_EXPIRY_S * 1000:
        raise AccessDenied("Invalid according to Policy: Policy expired. A form works for a week at most.")
