"""XML of others: read without entities or the network, and the parts of SAML that matter here."""

import base64
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from guildhall_sdk import Forbidden, InvalidRequest

MAX_BYTES = 256 * 1024
ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion"
PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol"
METADATA = "urn:oasis:names:tc:SAML:2.0:metadata"
SIGNATURE = "http://www.w3.org/2000/09/xmldsig#"
REDIRECT = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
_MAX_CERTIFICATES = 10


class Provider(NamedTuple):
    """A company's sign-in server, by its metadata."""

    issuer: str
    sign_in_url: str
    certificates: Sequence[str]


def name(space: str, local: str) -> str:
    return f"{{{space}}}{local}"


def invalid(because: str) -> Forbidden:
    """Returns the refusal of an answer that proves nothing."""
    return Forbidden(f"The answer of the sign-in server proves nobody: {because}.", code="saml_invalid")


def parse(raw: bytes) -> Any:
    """Parses a document without declarations of its own; raises `ValueError`."""
    from lxml import etree

    if len(raw) > MAX_BYTES:
        raise ValueError("it is too long")
    # Before anything of it is expanded; a document in another encoding would hide these.
    if b"<!DOCTYPE" in raw or b"<!ENTITY" in raw or b"\0" in raw:
        raise ValueError("it declares entities")
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_blank_text=False,
    )
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError):
        raise ValueError("it is no XML") from None
    if root.getroottree().docinfo.doctype or any(not isinstance(one.tag, str) for one in root.iter()):
        raise ValueError("it holds more than elements")
    return root


def provider_of(raw: bytes) -> Provider:
    """Reads metadata; raises `InvalidRequest`."""
    try:
        root = parse(raw)
    except ValueError as fault:
        raise InvalidRequest.at("/metadata", f"cannot be read: {fault}") from None
    found = [one for one in root.iter(name(METADATA, "EntityDescriptor")) if _roles(one)]
    if len(found) != 1:
        raise InvalidRequest.at("/metadata", "is that of one sign-in server (an IDPSSODescriptor)")
    issuer, role = found[0].get("entityID", ""), _roles(found[0])[0]
    urls = [
        one.get("Location", "")
        for one in role.findall(name(METADATA, "SingleSignOnService"))
        if one.get("Binding") == REDIRECT
    ]
    certificates = [*_certificates(role)]
    if not issuer or len(issuer) > 1024 or not urls or not certificates:
        raise InvalidRequest.at(
            "/metadata",
            "has an entityID, a SingleSignOnService by HTTP-Redirect, and a certificate",
        )
    return Provider(issuer, urls[0], certificates[:_MAX_CERTIFICATES])


def _roles(entity: Any) -> list[Any]:
    return list(entity.findall(name(METADATA, "IDPSSODescriptor")))


def _certificates(role: Any) -> Iterator[str]:
    for key in role.findall(name(METADATA, "KeyDescriptor")):
        if key.get("use", "signing") != "signing":
            continue
        for one in key.iter(name(SIGNATURE, "X509Certificate")):
            body = "".join((one.text or "").split())
            try:
                base64.b64decode(body, validate=True)
            except ValueError:
                continue
            lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
            yield f"-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n"
