"""What a form says about its own signature: it is over the policy, with Signature Version 4."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass

from builtin_plugins.s3.wire.errors import (
    AccessDenied,
    AuthorizationQueryParametersError,
    InvalidArgument,
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

_NEEDED = ("Policy", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Signature")
_OF_VERSION_2 = frozenset({"awsaccesskeyid", "signature"})


@dataclass(frozen=True, slots=True)
class FormClaim:
    """Nothing here is proven yet; `policy` is in base64, as it was signed."""

    access_key_id: str
    scope: SigningScope
    signature: str
    policy: str

    def verify(self, secret: str) -> Signature:
        key = signing_key(secret, self.scope.date, self.scope.region)
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
