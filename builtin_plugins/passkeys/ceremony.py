"""WebAuthn's two ceremonies: challenges that carry their own bounds, and what an authenticator answers.

A challenge is stored nowhere until it was answered: strangers who ask for many fill nothing.
"""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from guildhall_sdk import Host, UserError
from guildhall_sdk.services.identity import Vault
from libs.fair_slots import FairThread

CHALLENGE_MS = 5 * 60 * 1000
#: What a challenge is asked for: it answers for nothing else.
REGISTER, SIGN_IN, PROVE = "register", "sign-in", "prove"
# ES256, EdDSA and RS256: what authenticators of today have.
ALGORITHMS = (-7, -8, -257)
MAX_CREDENTIAL_CHARACTERS = 1364  # 1023 bytes, as base64url
MAX_TRANSPORTS = 8
_MAX_RESPONSE_CHARACTERS = 32 * 1024
_NONCE, _TIME, _SEAL = 16, 8, 32
_DEFAULT_PORTS = {"https": 443, "http": 80}
# The library takes a quarter of a second to be imported, and a signature some tenths of a millisecond.
_THREAD = FairThread("passkeys")
Result = TypeVar("Result")


class PasskeyRefused(UserError, code="passkey_invalid", title="The passkey's answer does not hold"):
    """Raised for an answer that is malformed, wrong, of another site, or too late."""


class Site(NamedTuple):
    """Where passkeys of this instance are good: what they are bound to, and the pages that may ask."""

    rp_id: str
    origin: str

    @classmethod
    def of(cls, host: Host) -> "Site":
        parts = urlsplit(host.settings.base_url)
        name = (parts.hostname or "localhost").lower()
        is_default = parts.port in (None, _DEFAULT_PORTS.get(parts.scheme))
        shown = f"[{name}]" if ":" in name else name
        return cls(name, f"{parts.scheme}://{shown}" + ("" if is_default else f":{parts.port}"))


class Answered(NamedTuple):
    """The challenge that an answer is for, and when it would have lapsed."""

    challenge: bytes
    until: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.challenge).hexdigest()


class NewKey(NamedTuple):
    """What an authenticator made."""

    credential_id: str
    public_key: str
    sign_count: int
    verifies: bool
    synced: bool


class Assertion(NamedTuple):
    """What an authenticator signed."""

    sign_count: int
    verified: bool


def to_text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")


def to_bytes(text: object, what: str) -> bytes:
    if not isinstance(text, str) or len(text) > _MAX_RESPONSE_CHARACTERS:
        raise PasskeyRefused(f"{what} must be base64url, as the browser gives it.")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise PasskeyRefused(f"{what} must be base64url, as the browser gives it.") from None


def credential_hash(credential_id: str) -> str:
    return hashlib.sha256(credential_id.encode()).hexdigest()


def new_challenge(host: Host, purpose: str, holder: str) -> str:
    """Returns a challenge for one purpose of one holder, good for five minutes."""
    until = host.clock.now_ms() + CHALLENGE_MS
    bare = secrets.token_bytes(_NONCE) + until.to_bytes(_TIME, "big")
    return to_text(bare + _sealed(host, bare, purpose, holder))


def _sealed(host: Host, bare: bytes, purpose: str, holder: str) -> bytes:
    key = host.service(Vault).derive("passkeys.challenge")
    return hmac.digest(key, b"\0".join([purpose.encode(), holder.encode(), bare]), hashlib.sha256)


def answered(host: Host, credential: Mapping[str, Any], purpose: str, holder: str) -> Answered:
    """Returns the challenge that an answer is for; raises `PasskeyRefused` for one that is not of here."""
    response = credential.get("response")
    if not isinstance(response, Mapping):
        raise PasskeyRefused("Send the credential as the browser gives it, with its response.")
    try:
        client_data = json.loads(to_bytes(response.get("clientDataJSON"), "clientDataJSON"))
        challenge = to_bytes(client_data["challenge"], "The challenge")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PasskeyRefused("The client data of the answer is malformed.") from None
    bare, seal = challenge[: _NONCE + _TIME], challenge[_NONCE + _TIME :]
    until = int.from_bytes(bare[_NONCE:], "big")
    own = len(challenge) == _NONCE + _TIME + _SEAL
    if not own or not hmac.compare_digest(seal, _sealed(host, bare, purpose, holder)):
        raise PasskeyRefused("This answers no challenge that was given here; ask for new options.")
    if host.clock.now_ms() >= until:
        raise PasskeyRefused("This comes more than five minutes after the options; ask for new ones.")
    return Answered(challenge, until)


async def verify_new_key(host: Host, holder: str, credential: Mapping[str, Any], to: Answered) -> NewKey:
    site = Site.of(host)
    return await _THREAD.run(holder, _told, _new_key, site, dict(credential), to.challenge)


async def verify_assertion(
    host: Host,
    holder: str,
    credential: Mapping[str, Any],
    to: Answered,
    public_key: str,
    *,
    must_verify: bool,
) -> Assertion:
    site = Site.of(host)
    given = (dict(credential), to.challenge, public_key, must_verify)
    return await _THREAD.run(holder, _told, _assertion, site, *given)


def _told(verify: Callable[..., Result], *given: Any) -> Result:
    """Runs a verification. The library raises errors of many kinds for what is malformed."""
    try:
        return verify(*given)
    except Exception as error:
        from webauthn.helpers.exceptions import WebAuthnException

        why = str(error) if isinstance(error, WebAuthnException) else "it is malformed"
        raise PasskeyRefused(f"This answer of a passkey does not hold: {why[:200]}") from None


def _new_key(site: Site, credential: dict[str, Any], challenge: bytes) -> NewKey:
    import webauthn
    from webauthn.helpers.cose import COSEAlgorithmIdentifier
    from webauthn.helpers.structs import CredentialDeviceType

    found = webauthn.verify_registration_response(
        credential=credential,
        expected_challenge=challenge,
        expected_rp_id=site.rp_id,
        expected_origin=site.origin,
        supported_pub_key_algs=[COSEAlgorithmIdentifier(one) for one in ALGORITHMS],
    )
    return NewKey(
        to_text(found.credential_id),
        to_text(found.credential_public_key),
        found.sign_count,
        found.user_verified,
        found.credential_device_type is CredentialDeviceType.MULTI_DEVICE,
    )


def _assertion(
    site: Site, credential: dict[str, Any], challenge: bytes, public_key: str, must_verify: bool
) -> Assertion:
    import webauthn

    found = webauthn.verify_authentication_response(
        credential=credential,
        expected_challenge=challenge,
        expected_rp_id=site.rp_id,
        expected_origin=site.origin,
        credential_public_key=to_bytes(public_key, "The key"),
        credential_current_sign_count=0,  # judged inside the write, where nobody else counts meanwhile
        require_user_verification=must_verify,
    )
    return Assertion(found.new_sign_count, found.user_verified)


def creation_options(
    host: Host, challenge: str, *, user_id: str, username: str, display_name: str, known: Sequence[Any]
) -> dict[str, Any]:
    """Returns WebAuthn's options for a new passkey; those that are `known` make no second one."""
    site = Site.of(host)
    return {
        "rp": {"id": site.rp_id, "name": "Guildhall"},
        "user": {"id": to_text(user_id.encode()), "name": username, "displayName": display_name},
        "challenge": challenge,
        "pubKeyCredParams": [{"type": "public-key", "alg": one} for one in ALGORITHMS],
        "timeout": CHALLENGE_MS,
        "excludeCredentials": known,
        "authenticatorSelection": {
            "residentKey": "preferred",
            "requireResidentKey": False,
            "userVerification": "preferred",
        },
        "attestation": "none",
    }


def request_options(
    host: Host, challenge: str, *, verify: bool, allowed: Sequence[Any] = ()
) -> dict[str, Any]:
    """Returns WebAuthn's options for an answer of a passkey: one `allowed`, else any of this site."""
    return {
        "challenge": challenge,
        "timeout": CHALLENGE_MS,
        "rpId": Site.of(host).rp_id,
        "allowCredentials": list(allowed),
        "userVerification": "required" if verify else "preferred",
    }
