"""The kind `oidc` of way to sign in: what is set up, how it is tried, and where it ends."""

from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode

from builtin_plugins.oidc.flow import BACKCHANNEL, CALLBACK, OIDC, START
from builtin_plugins.oidc.provider import Providers, is_web_address, json_of
from guildhall_sdk import Host, InvalidRequest, Problem
from guildhall_sdk.schema import array, string
from guildhall_sdk.services.outbound import OutboundHttp
from guildhall_sdk.services.sign_in import SignInKind, SignInStep, SignInWay

MAX_CLOCK_SECONDS = 120


async def check(host: Host, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the settings as they are stored; asks the provider nothing, which may be down just now."""
    http, issuer = host.service(OutboundHttp), settings["issuer"].strip()
    if not issuer.isascii():
        raise InvalidRequest.at("/issuer", "takes plain letters; write an international domain as xn--")
    wrong = InvalidRequest.at("/issuer", "takes an https:// address, such as https://id.example.com")
    if not is_web_address(issuer, plain_allowed=True) or "?" in issuer:
        raise wrong
    await http.check(issuer)
    if not is_web_address(issuer, plain_allowed=http.private_allowed):
        raise wrong
    return {**settings, "issuer": issuer}


async def test(host: Host, way: SignInWay) -> Sequence[SignInStep]:
    """Tries what can be tried without a person, until the first step that fails."""
    providers, steps = host.service(Providers), []
    providers.forget(way)
    name = "discovery"
    try:
        metadata = await providers.metadata(way)
        said = ", ".join(f"{key} {metadata[key]}" for key in ("issuer", "authorization_endpoint"))
        steps.append(SignInStep(name, True, said))
        name = "keys"
        keys = await providers.keys(way)
        shown = ", ".join(
            f"{key.get('kid', '?')} ({key.get('alg') or key.get('kty')})" for key in keys.values()
        )
        steps.append(SignInStep(name, bool(keys), shown or "The sign-in server has no key to sign with."))
        name = "client"
        steps += await _tried_client(host, providers, way)
    except Problem as problem:
        steps.append(SignInStep(name, False, problem.detail))
    return steps


async def _tried_client(host: Host, providers: Providers, way: SignInWay) -> Sequence[SignInStep]:
    """Sends a code that is none: who refuses the code, and not the client, takes the client."""
    address = host.settings.base_url + CALLBACK.format(id=way.id)
    form = {
        "grant_type": "authorization_code",
        "code": "a-code-that-is-none",
        "redirect_uri": address,
        "code_verifier": "a-verifier-that-is-none-but-long-enough-for-it",
    }
    answer = await providers.exchange(way, form)
    error = str(json_of(answer).get("error", "no error"))[:200]
    is_refused = answer.status in {401, 403} or error in {"invalid_client", "unauthorized_client"}
    said = f"The sign-in server answered {answer.status} {error} to a code that is none"
    steps = [SignInStep("client", not is_refused, f"{said}; register {address} there")]
    try:
        theirs = parsedate_to_datetime(answer.headers.get("date", "")).timestamp()
    except ValueError:
        return steps
    apart = round(theirs - host.clock.now_ms() / 1000)
    is_right = abs(apart) <= MAX_CLOCK_SECONDS
    return [*steps, SignInStep("clock", is_right, f"Its clock is {apart} s from this server's")]


async def end(host: Host, way: SignInWay, hint: str) -> str | None:
    """Returns where the session at the provider ends, which sends the browser back to the sign-in page."""
    endpoint = (await host.service(Providers).metadata(way)).get("end_session_endpoint")
    if endpoint is None:
        return None
    asked = {
        "client_id": way.settings["client_id"],
        "post_logout_redirect_uri": f"{host.settings.base_url}/login",
    }
    if hint:
        asked["id_token_hint"] = hint
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"


_scope = string(min_length=1, max_length=100)
KIND = SignInKind(
    name=OIDC,
    fields={
        "issuer": string(min_length=1, max_length=2048, title="signin.issuer"),
        "client_id": string(min_length=1, max_length=500, title="signin.client_id"),
        "client_secret": string(min_length=1, max_length=2000, title="signin.client_secret"),
        "scopes": {
            "anyOf": [array(_scope, maxItems=30), string(max_length=1000)],
            "title": "signin.scopes",
        },
    },
    required=("issuer", "client_id"),
    secrets=("client_secret",),
    anchors=("issuer",),
    addresses={"start": START, "callback": CALLBACK, "backchannel_logout": BACKCHANNEL},
    check=check,
    test=test,
    end=end,
)
