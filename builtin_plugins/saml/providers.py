"""The metadata of sign-in servers: as given, or fetched from an address now and then."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_plugins.saml.documents import MAX_BYTES, Provider, provider_of
from guildhall_sdk import Host, InvalidRequest
from guildhall_sdk.schema import string
from guildhall_sdk.services.outbound import OutboundFailed, OutboundHttp, OutboundRequest
from guildhall_sdk.services.sign_in import SignInKind, SignInStep, SignInWay

FETCHED_EVERY_MS = 10 * 60 * 1000
_MAX_KEPT = 500
EVERYBODY = "instance"


def _is_address(text: str) -> bool:
    return text.lstrip().lower().startswith(("https://", "http://"))


class Providers:
    """The sign-in servers of companies."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._kept: dict[tuple[str, str], tuple[int, Provider]] = {}

    async def of(self, way: SignInWay) -> Provider:
        """Returns the server of a way; one that is another than was set up is refused."""
        provider = await self.read(way.settings["metadata"], way.org_id)
        if provider.issuer != way.settings.get("issuer", provider.issuer):
            raise OutboundFailed("The metadata is that of another sign-in server now; set the way up anew.")
        return provider

    async def read(self, metadata: str, org_id: str | None) -> Provider:
        """Returns the server of some metadata, or of those at an address."""
        if not _is_address(metadata):
            return await asyncio.to_thread(provider_of, metadata.encode())
        key, now = (org_id or EVERYBODY, metadata.strip()), self._host.clock.steady_ms()
        kept = self._kept.get(key)
        if kept is not None and now - kept[0] < FETCHED_EVERY_MS:
            return kept[1]
        provider = await self._fetched(*key)
        if len(self._kept) >= _MAX_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = (now, provider)
        return provider

    async def _fetched(self, org_id: str, url: str) -> Provider:
        request = OutboundRequest(
            plugin="saml", org_id=org_id, url=url, timeout_seconds=10, max_bytes=MAX_BYTES
        )
        answer = await self._host.service(OutboundHttp).send(request)
        if answer.status != 200:
            raise OutboundFailed(f"The address of the metadata answered {answer.status}.")
        return await asyncio.to_thread(provider_of, answer.body)


async def check(host: Host, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the settings with the name of the server; raises `InvalidRequest`."""
    http, metadata = host.service(OutboundHttp), settings["metadata"].strip()
    if _is_address(metadata):
        await http.check(metadata)
        if metadata.lower().startswith("http://") and not http.private_allowed:
            raise InvalidRequest.at("/metadata", "is fetched by https alone")
    provider = await host.service(Providers).read(metadata, None)
    if not _is_address(provider.sign_in_url):
        raise InvalidRequest.at("/metadata", "leads browsers to an address that is none of the web")
    if settings.get("issuer") not in (None, "", provider.issuer):
        raise InvalidRequest.at("/issuer", f"is another than that in the metadata, {provider.issuer[:200]}")
    return {"metadata": metadata, "issuer": provider.issuer}


async def test(host: Host, way: SignInWay) -> Sequence[SignInStep]:
    """Reads the metadata."""
    provider = await host.service(Providers).of(way)
    return [
        SignInStep("metadata", True, f"The sign-in server is {provider.issuer}."),
        SignInStep("certificates", True, f"It signs by one of {len(provider.certificates)}."),
        SignInStep("address", True, f"Browsers are sent to {provider.sign_in_url}."),
    ]


KIND = SignInKind(
    name="saml",
    fields={
        "metadata": {
            **string(min_length=1, max_length=MAX_BYTES),
            "title": "saml.metadata",
            "description": "The metadata of the sign-in server as XML, or their address",
        },
        "issuer": {
            **string(min_length=1, max_length=1024),
            "title": "saml.issuer",
            "description": "The entityID of the sign-in server; taken from its metadata where it is left out",
        },
    },
    required=("metadata",),
    anchors=("issuer",),
    addresses={name: f"/api/auth/saml/{{id}}/{name}" for name in ("start", "acs", "metadata")},
    check=check,
    test=test,
)
