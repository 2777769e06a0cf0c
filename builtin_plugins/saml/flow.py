"""The way to a company's sign-in server and back, by the browser."""

import asyncio
import base64
import binascii
import re
import secrets
import zlib
from urllib.parse import parse_qs, urlencode
from xml.sax.saxutils import escape, quoteattr

from builtin_plugins.saml.assertions import Checked, Expected, check
from builtin_plugins.saml.documents import ASSERTION, MAX_BYTES, METADATA, POST, PROTOCOL, invalid
from builtin_plugins.saml.providers import Providers
from guildhall_sdk import Call, Problem, Reply, rfc3339
from guildhall_sdk.services.computing import Computing
from guildhall_sdk.services.sign_in import SignInWay, SignInWays

SAML = "saml"
ROOT = "/api/auth/saml/{id}"
MAX_FORM = 2 * MAX_BYTES
_BASE64 = re.compile(rb"[A-Za-z0-9+/=\s]*")


def audience_of(call: Call, way: SignInWay) -> str:
    """Returns the name under which this server is known to the other: the address of its metadata."""
    return f"{call.host.settings.base_url}{ROOT.format(id=way.id)}/metadata"


def acs_of(call: Call, way: SignInWay) -> str:
    return f"{call.host.settings.base_url}{ROOT.format(id=way.id)}/acs"


async def _way(call: Call) -> SignInWay:
    async with call.read() as reader:
        return await call.service(SignInWays).way(reader, SAML, call.params["id"])


async def metadata(call: Call) -> Reply:
    """Describes this server to the other."""
    way = await _way(call)
    text = (
        f'<?xml version="1.0"?>\n<md:EntityDescriptor xmlns:md={quoteattr(METADATA)} '
        f"entityID={quoteattr(audience_of(call, way))}>"
        f'<md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" '
        f"protocolSupportEnumeration={quoteattr(PROTOCOL)}>"
        "<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>"
        f'<md:AssertionConsumerService index="0" isDefault="true" Binding={quoteattr(POST)} '
        f"Location={quoteattr(acs_of(call, way))}/>"
        "</md:SPSSODescriptor></md:EntityDescriptor>\n"
    )
    return Reply(content=text.encode(), content_type="application/samlmetadata+xml")


async def start(call: Call) -> Reply:
    """Sends the browser to the sign-in server, with a request that only it can come back with."""
    ways = call.service(SignInWays)
    way = await _way(call)
    try:
        provider = await call.service(Providers).of(way)
        request_id = f"_{secrets.token_hex(20)}"
        state, cookie = await ways.begin(call, way, {"request": request_id}, by_form=True)
    except Problem as problem:
        return ways.refuse(call, problem)
    text = (
        f"<samlp:AuthnRequest xmlns:samlp={quoteattr(PROTOCOL)} xmlns:saml={quoteattr(ASSERTION)} "
        f'ID="{request_id}" Version="2.0" IssueInstant="{rfc3339(call.now_ms)}" '
        f"Destination={quoteattr(provider.sign_in_url)} ProtocolBinding={quoteattr(POST)} "
        f"AssertionConsumerServiceURL={quoteattr(acs_of(call, way))}>"
        f"<saml:Issuer>{escape(audience_of(call, way))}</saml:Issuer></samlp:AuthnRequest>"
    )
    deflated = zlib.compress(text.encode(), wbits=-15)
    query = urlencode({"SAMLRequest": base64.b64encode(deflated).decode(), "RelayState": state})
    url = provider.sign_in_url
    location = f"{url}{'&' if '?' in url else '?'}{query}"
    headers = {"Location": location, "Set-Cookie": cookie, "Cache-Control": "no-store"}
    return Reply(status=303, headers=headers)


async def acs(call: Call) -> Reply:
    """Takes the browser back with the server's answer, and signs in whom it proves."""
    ways = call.service(SignInWays)
    way = await _way(call)
    try:
        checked = await _checked(call, way)
        async with call.write() as writer:
            if not await ways.use_once(writer, way, checked.id, checked.until_ms):
                raise invalid("it was used already")
    except Problem as problem:
        return ways.refuse(call, problem)
    return await ways.finish(call, way, checked.proof)


async def _checked(call: Call, way: SignInWay) -> Checked:
    try:
        form = parse_qs(call.body.decode("ascii", "replace"), max_num_fields=20)
    except ValueError:
        raise invalid("it cannot be read") from None
    kept = await call.service(SignInWays).resume(call, way, form.get("RelayState", [""])[0])
    given = form.get("SAMLResponse", [""])[0].encode("ascii", "replace")
    try:
        if not _BASE64.fullmatch(given):
            raise ValueError
        raw = base64.b64decode(given)
    except (ValueError, binascii.Error):
        raise invalid("it cannot be read") from None
    expected = Expected(
        provider=await call.service(Providers).of(way),
        audience=audience_of(call, way),
        acs=acs_of(call, way),
        request_id=kept["request"],
        now_ms=call.now_ms,
    )
    await asyncio.to_thread(_load)
    return await call.service(Computing).run(way.org_id or way.id, check, raw, expected)


def _load() -> None:
    """Imports what takes its time, before it is needed in a step that others wait for."""
    import lxml.etree
    import signxml

    assert lxml.etree and signxml
