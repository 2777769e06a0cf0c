"""Signed words of a provider: who signed them, for whom, and when."""

import json
from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from builtin_plugins.oidc.provider import Providers, object_in
from guildhall_sdk import Forbidden
from guildhall_sdk.services.sign_in import SignInWay

#: Signatures by a key that only the provider has: neither `none`, nor one that a shared secret makes.
ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "Ed25519", "EdDSA"),
)
MAX_TOKEN = 32 * 1024
SKEW_SECONDS = 120
LOGOUT_SECONDS = 5 * 60
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


def token_invalid(why: str) -> Forbidden:
    return Forbidden(f"The sign-in server's word does not hold: {why}.", code="token_invalid")


async def verified_claims(providers: Providers, way: SignInWay, token: object) -> Mapping[str, Any]:
    """Returns the claims of a token that this way's provider signed for this client."""
    if not isinstance(token, str) or len(token) > MAX_TOKEN or token.count(".") != 2:
        raise token_invalid("it is no signed token")
    header = _header(token)
    if header.get("alg") not in ALGORITHMS:
        raise token_invalid("it is signed in a way that proves nothing")
    kid = header.get("kid")
    key = await providers.key(way, kid if isinstance(kid, str) else None)
    claims = object_in(_payload(token, key), "its token holds no claims")
    metadata = await providers.metadata(way)
    _check_addressed(claims, metadata["issuer"], way.settings["client_id"])
    return claims


def _header(token: str) -> Mapping[str, Any]:
    import base64
    import binascii

    head = token.partition(".")[0]
    try:
        text = base64.b64decode(head + "=" * (-len(head) % 4), altchars=b"-_", validate=True)
        header = json.loads(text)
    except (binascii.Error, ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or "crit" in header:
        raise token_invalid("it is no signed token")
    return header


def _payload(token: str, key: Mapping[str, Any]) -> bytes:
    from joserfc import jws
    from joserfc.errors import JoseError
    from joserfc.jwk import import_key

    try:
        return bytes(jws.deserialize_compact(token, import_key(dict(key)), [*ALGORITHMS]).payload)
    except (JoseError, ValueError, TypeError, KeyError):
        raise token_invalid("its signature is not the sign-in server's") from None


def _check_addressed(claims: Mapping[str, Any], issuer: str, client_id: str) -> None:
    if claims.get("iss") != issuer:
        raise token_invalid("it is another server's")
    audience = claims.get("aud")
    audiences = [audience] if isinstance(audience, str) else audience
    if not isinstance(audiences, list) or client_id not in audiences:
        raise token_invalid("it is for somebody else")
    if claims.get("azp", client_id) != client_id or (len(audiences) > 1 and "azp" not in claims):
        raise token_invalid("it was given to somebody else")


def check_times(claims: Mapping[str, Any], now_ms: int) -> None:
    """Raises `Forbidden` `clock_wrong` for a token that is over, or that is said to come from the future."""
    now, issued, ends = now_ms / 1000, claims.get("iat"), claims.get("exp")
    if not _is_time(issued) or not _is_time(ends):
        raise token_invalid("it does not say from when to when")
    begins = claims.get("nbf", issued)
    if not _is_time(begins) or begins > now + SKEW_SECONDS or issued > now + SKEW_SECONDS:
        raise _clock_wrong("from the future")
    if ends <= now - SKEW_SECONDS:
        raise _clock_wrong("over")


def _is_time(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def _clock_wrong(how: str) -> Forbidden:
    return Forbidden(
        f"What the sign-in server signed is {how}: its clock, or this server's, is wrong.", code="clock_wrong"
    )


def check_logout(claims: Mapping[str, Any], now_ms: int) -> tuple[str | None, str | None, str]:
    """Returns the subject, the session and the id of a logout token."""
    issued, ends, events = claims.get("iat"), claims.get("exp"), claims.get("events")
    now = now_ms / 1000
    if not isinstance(events, dict) or not isinstance(events.get(LOGOUT_EVENT), dict) or "nonce" in claims:
        raise token_invalid("it is no word about the end of a session")
    if not _is_time(issued) or abs(now - issued) > LOGOUT_SECONDS:
        raise _clock_wrong("not from now")
    if ends is not None and (not _is_time(ends) or ends <= now - SKEW_SECONDS):
        raise _clock_wrong("over")
    subject, session, handle = (claims.get(name) for name in ("sub", "sid", "jti"))
    if not isinstance(handle, str) or not (isinstance(subject, str) or isinstance(session, str)):
        raise token_invalid("it does not say whose session ends")
    return (
        subject if isinstance(subject, str) else None,
        session if isinstance(session, str) else None,
        handle,
    )
