"""The code flow with PKCE: a browser is sent to the provider, and comes back with a code for a proof."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from builtin_plugins.oidc.provider import Providers, json_of
from builtin_plugins.oidc.tokens import check_logout, check_times, token_invalid, verified_claims
from guildhall_sdk import Call, Forbidden, InvalidRequest, Problem, Reply
from guildhall_sdk.services.sign_in import SignInProof, SignInWay, SignInWays

OIDC = "oidc"
START = "/api/auth/oidc/{id}/start"
CALLBACK = "/api/auth/oidc/{id}/callback"
BACKCHANNEL = "/api/auth/oidc/{id}/backchannel-logout"
SCOPES = "openid profile email"
MAX_SUBJECT = 255
MAX_HINT = 16 * 1024


def scope_of(settings: Mapping[str, Any]) -> str:
    """Returns the scopes as they are sent; `openid` is always one."""
    given = settings.get("scopes") or SCOPES
    names = given.split() if isinstance(given, str) else [*given]
    return " ".join(dict.fromkeys(["openid", *names]))


async def start(call: Call) -> Reply:
    """Sends the browser to the provider, with what will show that it is the one that comes back."""
    ways = call.service(SignInWays)
    way = await _way(call)
    try:
        metadata = await call.service(Providers).metadata(way)
        nonce, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        state, cookie = await ways.begin(call, way, {"nonce": nonce, "verifier": verifier})
    except Problem as problem:
        return ways.refuse(call, problem)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code",
        "client_id": way.settings["client_id"],
        "redirect_uri": _redirect_uri(call, way),
        "scope": scope_of(way.settings),
        "state": state,
        "nonce": nonce,
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    endpoint = metadata["authorization_endpoint"]
    location = f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"
    headers = {"Location": location, "Set-Cookie": cookie, "Cache-Control": "no-store"}
    return Reply(status=303, headers=headers)


async def callback(call: Call) -> Reply:
    """Takes the browser back, with a session or with the word why not."""
    ways = call.service(SignInWays)
    way = await _way(call)
    try:
        proof = await _proof(call, way)
    except Problem as problem:
        return ways.refuse(call, problem)
    return await ways.finish(call, way, proof)


async def _way(call: Call) -> SignInWay:
    async with call.read() as reader:
        return await call.service(SignInWays).way(reader, OIDC, call.params["id"])


def _redirect_uri(call: Call, way: SignInWay) -> str:
    return call.host.settings.base_url + CALLBACK.format(id=way.id)


async def _proof(call: Call, way: SignInWay) -> SignInProof:
    providers, query = call.service(Providers), call.query
    kept = await call.service(SignInWays).resume(call, way, query.get("state", ""))
    metadata = await providers.metadata(way)
    _check_sender(query, metadata)
    if "error" in query:
        code = "sso_denied" if query["error"] == "access_denied" else "sso_failed"
        raise Forbidden("The sign-in server let nobody in.", code=code)
    if not query.get("code"):
        raise Forbidden("The sign-in server sent no code.", code="sso_failed")
    tokens = await _exchange(call, way, query["code"], kept["verifier"])
    claims = await verified_claims(providers, way, tokens.get("id_token"))
    check_times(claims, call.host.clock.now_ms())
    if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), kept["nonce"].encode()):
        raise token_invalid("it is not for this sign-in")
    subject, session = claims.get("sub"), claims.get("sid")
    if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
        raise token_invalid("it says of nobody")
    more = await _user_info(call, way, tokens, claims)
    hint = str(tokens["id_token"])
    return SignInProof(
        subject=subject,
        claims={**more, **claims},
        session=session if isinstance(session, str) and len(session) <= MAX_SUBJECT else None,
        hint=hint if len(hint) <= MAX_HINT else None,
    )


def _check_sender(query: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    """Raises where the answer is another provider's: RFC 9207."""
    named = query.get("iss")
    is_promised = metadata.get("authorization_response_iss_parameter_supported") is True
    if (named is None and is_promised) or (named is not None and named != metadata["issuer"]):
        raise Forbidden("This answer is another sign-in server's.", code="issuer_wrong")


async def _exchange(call: Call, way: SignInWay, code: str, verifier: str) -> Mapping[str, Any]:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": _redirect_uri(call, way),
        "code_verifier": verifier,
    }
    answer = await call.service(Providers).exchange(way, form)
    found = json_of(answer)
    if answer.status == 200:
        return found
    if found.get("error") == "invalid_client" or answer.status == 401:
        raise Forbidden("The sign-in server does not take this client's secret.", code="client_refused")
    raise Forbidden("The sign-in server does not take this code.", code="code_invalid")


async def _user_info(
    call: Call, way: SignInWay, tokens: Mapping[str, Any], claims: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Returns what the provider says of the person beside the token, which may say nothing but who."""
    providers, token = call.service(Providers), tokens.get("access_token")
    url = (await providers.metadata(way)).get("userinfo_endpoint")
    if url is None or not isinstance(token, str) or not token.isascii():
        return {}
    if {"email", "name", "preferred_username"} <= claims.keys():
        return {}
    try:
        found = await providers.get_json(way, url, bearer=token)
    except Problem:  # what the token says is enough
        return {}
    if found.get("sub") != claims["sub"]:
        raise token_invalid("what is said of the person is another's")
    return found


async def end_by_provider(call: Call) -> Reply:
    """Ends the sessions of whoever the provider says has left, as its signed word says."""
    way, ways = await _way(call), call.service(SignInWays)
    try:
        form = dict(parse_qsl(call.body.decode(), max_num_fields=20))
    except (UnicodeDecodeError, ValueError):
        raise InvalidRequest.at("", "is no form with a logout_token") from None
    try:
        claims = await verified_claims(call.service(Providers), way, form.get("logout_token"))
        subject, session, handle = check_logout(claims, call.now_ms)
    except Forbidden as refusal:
        raise InvalidRequest.at("/logout_token", refusal.detail) from None
    async with call.write() as writer:
        if not await ways.use_once(writer, way, f"logout\n{handle}", call.now_ms + 15 * 60 * 1000):
            raise InvalidRequest.at("/logout_token", "was used")
        await ways.end_sessions(writer, way, subject=subject, session=session)
    return Reply({}, headers={"Cache-Control": "no-store"})
