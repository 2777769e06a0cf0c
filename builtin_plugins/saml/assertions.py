"""An answer of a sign-in server, checked: only what a signature covers is read, and only once."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from builtin_plugins.saml.documents import ASSERTION, PROTOCOL, SIGNATURE, Provider, invalid, name, parse
from guildhall_sdk.services.sign_in import SignInProof

SKEW_MS = 180_000
_BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
_SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success"
_TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
_EMAIL = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
_MAX_ATTRIBUTES = 100
_MAX_VALUES = 500
#: What attributes are called that everybody knows.
_KNOWN = {
    "urn:oid:0.9.2342.19200300.100.1.1": "preferred_username",
    "urn:oid:0.9.2342.19200300.100.1.3": "email",
    "urn:oid:2.16.840.1.113730.3.1.241": "name",
    "urn:oid:1.3.6.1.4.1.5923.1.5.1.1": "groups",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress": "email",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name": "preferred_username",
    "http://schemas.microsoft.com/identity/claims/displayname": "name",
    "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups": "groups",
    "mail": "email",
    "uid": "preferred_username",
    "displayname": "name",
    "cn": "name",
    "memberof": "groups",
}


class Expected(NamedTuple):
    """What an answer must be for: this server, this browser's request, this moment."""

    provider: Provider
    audience: str
    acs: str
    request_id: str
    now_ms: int


class Checked(NamedTuple):
    """An assertion that holds: whom it is about, its id, and until when it would be taken."""

    proof: SignInProof
    id: str
    until_ms: int


def check(raw: bytes, expected: Expected) -> Checked:
    """Returns what an answer proves; raises `Forbidden` `saml_invalid`."""
    try:
        response = parse(raw)
    except ValueError as fault:
        raise invalid(str(fault)) from None
    _check_response(response, expected)
    assertion = _signed_assertion(response, expected.provider)
    until_ms = _check_assertion(assertion, expected)
    return Checked(_proof(assertion), assertion.get("ID"), until_ms)


def _check_response(response: Any, expected: Expected) -> None:
    if response.tag != name(PROTOCOL, "Response"):
        raise invalid("it is no response")
    status = response.find(f"{name(PROTOCOL, 'Status')}/{name(PROTOCOL, 'StatusCode')}")
    if status is None or status.get("Value") != _SUCCESS:
        raise invalid("the server let nobody in")
    if response.get("Destination") != expected.acs:
        raise invalid("it is for another address")
    if response.get("InResponseTo") != expected.request_id:
        raise invalid("nobody asked for it here")
    issuer = response.find(name(ASSERTION, "Issuer"))
    if issuer is not None and _text(issuer) != expected.provider.issuer:
        raise invalid("another server issued it")


def _signed_assertion(response: Any, provider: Provider) -> Any:
    """Returns the one assertion, as the signature over it covers it."""
    if any(True for _ in response.iter(name(ASSERTION, "EncryptedAssertion"))):
        raise invalid("it is encrypted, which is not supported; have the server sign alone")
    found = [*response.iter(name(ASSERTION, "Assertion"))]
    if len(found) != 1 or found[0].getparent() is not response:
        raise invalid("it has not one assertion where it belongs")
    assertion = found[0]
    ids = [one.get("ID") for one in response.iter() if one.get("ID") is not None]
    assertion_id = assertion.get("ID")
    if not assertion_id or len(ids) != len({*ids}) or len(assertion_id) > 256:
        raise invalid("its ids are not unique")
    signatures = [*response.iter(name(SIGNATURE, "Signature"))]
    own = [one for one in signatures if one.getparent() is assertion]
    if len(own) != 1 or any(one.getparent() not in (assertion, response) for one in signatures):
        raise invalid("its assertion is not signed")
    reference = own[0].findall(f"{name(SIGNATURE, 'SignedInfo')}/{name(SIGNATURE, 'Reference')}")
    if len(reference) != 1 or reference[0].get("URI") != f"#{assertion_id}":
        raise invalid("its signature is over something else")
    return _verified(assertion, provider.certificates)


def _verified(assertion: Any, certificates: Sequence[str]) -> Any:
    from lxml import etree
    from signxml.algorithms import DigestAlgorithm, SignatureMethod
    from signxml.exceptions import SignXMLException
    from signxml.verifier import SignatureConfiguration, XMLVerifier

    methods = [
        one
        for one in SignatureMethod
        if one.name.startswith(("RSA_SHA", "ECDSA_SHA")) and one.name.endswith(("256", "384", "512"))
    ]
    digests = [one for one in DigestAlgorithm if one.name in ("SHA256", "SHA384", "SHA512")]
    config = SignatureConfiguration(
        location="./",
        expect_references=1,
        signature_methods=frozenset(methods),
        digest_algorithms=frozenset(digests),
        ignore_ambiguous_key_info=True,
    )
    alone = etree.tostring(assertion, with_tail=False)
    for certificate in certificates:
        try:
            result = XMLVerifier().verify(
                alone, x509_cert=certificate, id_attribute="ID", expect_config=config, validate_schema=True
            )
        except (SignXMLException, ValueError, TypeError, etree.LxmlError, KeyError):
            continue
        signed = None if isinstance(result, list) else result.signed_xml
        if signed is not None and signed.tag == assertion.tag and signed.get("ID") == assertion.get("ID"):
            return signed
    raise invalid("its signature is not that of the server in the metadata")


def _check_assertion(assertion: Any, expected: Expected) -> int:
    """Raises unless the assertion is for here and now; returns until when it would be taken."""
    issuer = assertion.find(name(ASSERTION, "Issuer"))
    if issuer is None or _text(issuer) != expected.provider.issuer:
        raise invalid("another server issued it")
    conditions = assertion.find(name(ASSERTION, "Conditions"))
    if conditions is None:
        raise invalid("it does not say for whom it is")
    _check_times(conditions, expected.now_ms)
    restrictions = conditions.findall(name(ASSERTION, "AudienceRestriction"))
    for restriction in restrictions:
        named = [_text(one) for one in restriction.findall(name(ASSERTION, "Audience"))]
        if expected.audience not in named:
            raise invalid("it is for another service")
    if not restrictions:
        raise invalid("it does not say for whom it is")
    ends = [
        end
        for one in assertion.findall(f"{name(ASSERTION, 'Subject')}/{name(ASSERTION, 'SubjectConfirmation')}")
        if (end := _confirmed_until(one, expected)) is not None
    ]
    if not ends:
        raise invalid("its confirmation is too late, for another address, or for another sign-in")
    return max(ends) + SKEW_MS


def _confirmed_until(confirmation: Any, expected: Expected) -> int | None:
    data = confirmation.find(name(ASSERTION, "SubjectConfirmationData"))
    if confirmation.get("Method") != _BEARER or data is None or data.get("NotBefore") is not None:
        return None
    end = _time(data.get("NotOnOrAfter"))
    if end is None or end + SKEW_MS <= expected.now_ms:
        return None
    if data.get("Recipient") != expected.acs or data.get("InResponseTo") != expected.request_id:
        return None
    return end


def _check_times(conditions: Any, now_ms: int) -> None:
    begins, ends = conditions.get("NotBefore"), conditions.get("NotOnOrAfter")
    if begins is not None and ((at := _time(begins)) is None or at - SKEW_MS > now_ms):
        raise invalid("it is not good yet; the clocks of the servers may differ")
    if ends is not None and ((at := _time(ends)) is None or at + SKEW_MS <= now_ms):
        raise invalid("it is too late; the clocks of the servers may differ")


def _time(text: str | None) -> int | None:
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return None if found.tzinfo is None else int(found.timestamp() * 1000)


def _proof(assertion: Any) -> SignInProof:
    named = assertion.find(f"{name(ASSERTION, 'Subject')}/{name(ASSERTION, 'NameID')}")
    subject = "" if named is None else _text(named)
    if named is None or not subject or len(subject) > 255:
        raise invalid("it is about nobody")
    kind = named.get("Format", "")
    if kind == _TRANSIENT:
        raise invalid("its NameID is another each time; have the server send a persistent one")
    claims = dict(_claims(assertion))
    if kind == _EMAIL:
        claims.setdefault("email", subject)
    statement = assertion.find(name(ASSERTION, "AuthnStatement"))
    session = None if statement is None else statement.get("SessionIndex")
    return SignInProof(
        subject=subject,
        claims=claims,
        session=session if session and len(session) <= 255 else None,
    )


def _claims(assertion: Any) -> Mapping[str, Any]:
    """Returns the attributes by their names, and by those that are understood."""
    claims: dict[str, Any] = {}
    known: dict[str, Any] = {}
    path = f"{name(ASSERTION, 'AttributeStatement')}/{name(ASSERTION, 'Attribute')}"
    for attribute in assertion.findall(path)[:_MAX_ATTRIBUTES]:
        values = [_text(one) for one in attribute.findall(name(ASSERTION, "AttributeValue"))][:_MAX_VALUES]
        given = attribute.get("Name", "")
        if not values or not given:
            continue
        claims[given] = values if len(values) > 1 else values[0]
        friendly = attribute.get("FriendlyName", "").lower()
        meant = _KNOWN.get(given) or _KNOWN.get(given.lower()) or _KNOWN.get(friendly)
        if meant == "groups":
            known[meant] = values
        elif meant is not None:
            known.setdefault(meant, values[0])
    # Who wrote an address there is not known: it proves none.
    return {**known, **{key: value for key, value in claims.items() if key != "email_verified"}}


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip()
