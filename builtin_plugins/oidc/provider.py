"""A provider of OpenID Connect: what it says of itself, its keys, and requests to it."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote_plus, urlencode, urlsplit

from guildhall_sdk import Forbidden, Host
from guildhall_sdk.services.outbound import OutboundAnswer, OutboundFailed, OutboundHttp, OutboundRequest
from guildhall_sdk.services.sign_in import SignInWay

TIMEOUT_SECONDS: float = 10
MAX_BYTES = 256 * 1024
MAX_KEYS = 50
METADATA_MS = KEYS_MS = 10 * 60 * 1000
#: Of keys that nobody knows, so many times in a minute the provider is asked for its keys anew.
REFETCHES, REFETCHES_MS = 5, 60 * 1000
MAX_PROVIDERS = 200
_MAX_MODULUS = 1400  # characters of Base64: 8,192 bits
_MAX_EXPONENT = 8
_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_MORE_ENDPOINTS: Final = ("userinfo_endpoint", "end_session_endpoint")


def provider_invalid(what: str) -> Forbidden:
    """Returns the refusal of what a provider says that cannot be."""
    return Forbidden(f"The sign-in server is not set up right: {what}.", code="provider_invalid")


@dataclass(slots=True)
class Provider:
    """What is known of one provider for a company."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    metadata_until: int = 0
    keys: Mapping[str | None, Mapping[str, Any]] = field(default_factory=dict)
    keys_until: int = 0
    refetched: list[int] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Providers:
    """Remembers providers for ten minutes; many who sign in at once cost one request."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._known: OrderedDict[tuple[str, str], Provider] = OrderedDict()

    def _provider(self, way: SignInWay) -> Provider:
        key = (way.org_id or "", way.settings["issuer"])
        found = self._known.setdefault(key, Provider())
        self._known.move_to_end(key)
        while len(self._known) > MAX_PROVIDERS:
            self._known.popitem(last=False)
        return found

    def forget(self, way: SignInWay) -> None:
        """Forgets a provider, for a test that wants to see what it says now."""
        self._known.pop((way.org_id or "", way.settings["issuer"]), None)

    async def metadata(self, way: SignInWay) -> Mapping[str, Any]:
        """Returns what a provider says of itself, checked."""
        provider, now = self._provider(way), self._host.clock.steady_ms()
        async with provider.lock:
            if now >= provider.metadata_until:
                issuer = way.settings["issuer"]
                url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
                found = await self.get_json(way, url)
                _check_metadata(found, issuer, plain_allowed=self._http.private_allowed)
                provider.metadata, provider.metadata_until = found, now + METADATA_MS
            return provider.metadata

    async def key(self, way: SignInWay, kid: str | None) -> Mapping[str, Any]:
        """Returns a key of the provider; one that is not known is asked for anew, within bounds."""
        metadata = await self.metadata(way)
        provider, now = self._provider(way), self._host.clock.steady_ms()
        async with provider.lock:
            if now < provider.keys_until and (found := _chosen(provider.keys, kid)) is not None:
                return found
            provider.refetched = [at for at in provider.refetched if now - at < REFETCHES_MS]
            if len(provider.refetched) < REFETCHES:
                provider.refetched.append(now)
                provider.keys = await self._fetched_keys(way, metadata["jwks_uri"])
                provider.keys_until = now + KEYS_MS
            found = _chosen(provider.keys, kid)
        if found is None:
            raise Forbidden("The sign-in server signed with a key that it does not have.", code="key_unknown")
        return found

    async def keys(self, way: SignInWay) -> Mapping[str | None, Mapping[str, Any]]:
        """Returns the keys that a provider has now."""
        return await self._fetched_keys(way, (await self.metadata(way))["jwks_uri"])

    async def _fetched_keys(self, way: SignInWay, url: str) -> Mapping[str | None, Mapping[str, Any]]:
        found = (await self.get_json(way, url)).get("keys")
        if not isinstance(found, list):
            raise provider_invalid("what it gives for keys is no set of keys")
        usable = (key for key in found[:MAX_KEYS] if isinstance(key, dict) and _is_usable(key))
        return {key.get("kid"): key for key in usable}

    async def get_json(self, way: SignInWay, url: str, bearer: str | None = None) -> Mapping[str, Any]:
        headers = {"Accept": "application/json"}
        if bearer is not None:
            headers["Authorization"] = f"Bearer {bearer}"
        answer = await self.send(way, url, headers=headers)
        if answer.status != 200:
            raise OutboundFailed(f"The sign-in server answered {answer.status} at {url}.")
        return json_of(answer)

    async def exchange(self, way: SignInWay, form: Mapping[str, str]) -> OutboundAnswer:
        """Sends a form to the token endpoint as this client."""
        metadata, settings = await self.metadata(way), way.settings
        headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
        form, secret = {**form, "client_id": settings["client_id"]}, settings.get("client_secret")
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        if secret is not None and "client_secret_basic" in methods:
            import base64

            pair = f"{quote_plus(settings['client_id'])}:{quote_plus(secret)}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        elif secret is not None:
            form["client_secret"] = secret
        body = urlencode(form).encode()
        return await self.send(way, metadata["token_endpoint"], method="POST", headers=headers, body=body)

    async def send(
        self,
        way: SignInWay,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str],
        body: bytes = b"",
    ) -> OutboundAnswer:
        request = OutboundRequest(
            plugin="oidc",
            org_id=way.org_id or "",
            url=url,
            method=method,
            headers=headers,
            body=body,
            timeout_seconds=TIMEOUT_SECONDS,
            max_bytes=MAX_BYTES,
        )
        return await self._http.send(request)

    @property
    def _http(self) -> OutboundHttp:
        return self._host.service(OutboundHttp)


def json_of(answer: OutboundAnswer) -> Mapping[str, Any]:
    """Returns the object that a provider answered with."""
    return object_in(answer.body, "it answers with something that is no JSON object")


def object_in(text: bytes, otherwise: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
        json.dumps(found, ensure_ascii=False).encode()  # half a sign can be neither stored nor hashed
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise provider_invalid(otherwise)
    return found


def _check_metadata(found: Mapping[str, Any], issuer: str, *, plain_allowed: bool) -> None:
    named = found.get("issuer")
    if not isinstance(named, str) or named.rstrip("/") != issuer.rstrip("/"):
        raise provider_invalid("it calls itself another issuer than was set up")
    for name in (*_ENDPOINTS, *_MORE_ENDPOINTS):
        url = found.get(name)
        if url is None and name in _MORE_ENDPOINTS:
            continue
        if not isinstance(url, str) or not is_web_address(url, plain_allowed=plain_allowed):
            raise provider_invalid(f"its {name} is no https:// address")


def is_web_address(url: str, *, plain_allowed: bool) -> bool:
    """Tells whether a browser may be sent there: plain ASCII, so that no name looks like another's."""
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    schemes = {"https", "http"} if plain_allowed else {"https"}
    return parts.scheme in schemes and bool(parts.hostname) and parts.username is None and not parts.fragment


def _is_usable(key: Mapping[str, Any]) -> bool:
    """Tells whether a key is one to check signatures with, and no dearer than keys are."""
    modulus, exponent = str(key.get("n", "")), str(key.get("e", ""))
    return (
        key.get("kty") in {"RSA", "EC", "OKP"}
        and key.get("use", "sig") == "sig"
        and isinstance(key.get("kid"), str | None)
        and len(modulus) <= _MAX_MODULUS
        and len(exponent) <= _MAX_EXPONENT
    )


def _chosen(keys: Mapping[str | None, Mapping[str, Any]], kid: str | None) -> Mapping[str, Any] | None:
    """Returns the key of an id; a token that names none is for the only key there is."""
    if kid is None and len(keys) == 1:
        return next(iter(keys.values()))
    return keys.get(kid)
