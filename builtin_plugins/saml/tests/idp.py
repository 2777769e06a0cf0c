"""A sign-in server of the test's own: it signs what it is asked to, and what it should not."""

import base64
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from lxml import etree
from signxml import CanonicalizationMethod, XMLSigner

ISSUER = "https://id.acme.test/saml"
SIGN_IN = "https://id.acme.test/saml/sso"
SAML = "urn:oasis:names:tc:SAML:2.0:assertion"
SAMLP = "urn:oasis:names:tc:SAML:2.0:protocol"
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"


def moment(ms, shift_s=0):
    return (datetime.fromtimestamp(ms / 1000, UTC) + timedelta(seconds=shift_s)).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )


class IdP:
    """The server; each of its keys is a server of its own to who knows the other."""

    def __init__(self, issuer=ISSUER):
        self.issuer = issuer
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "id.acme.test")])
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
            .not_valid_after(datetime(2100, 1, 1, tzinfo=UTC))
            .sign(key, hashes.SHA256())
        )
        self.key = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        self.cert = made.public_bytes(serialization.Encoding.PEM).decode()

    @property
    def metadata(self):
        body = "".join(self.cert.strip().splitlines()[1:-1])
        return (
            '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" '
            f'entityID="{self.issuer}"><md:IDPSSODescriptor '
            'protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
            '<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">'
            f"<ds:X509Data><ds:X509Certificate>{body}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>"
            '</md:KeyDescriptor><md:SingleSignOnService Location="' + SIGN_IN + '" '
            'Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"/>'
            "</md:IDPSSODescriptor></md:EntityDescriptor>"
        )

    def assertion(self, asked, now_ms, *, assertion_id="_a1", subject="ada-1", **changed):
        """Returns an assertion as text; `changed` names what is to be wrong about it."""
        given = {
            "issuer": self.issuer,
            "audience": asked.audience,
            "recipient": asked.acs,
            "in_response_to": asked.id,
            "ends": moment(now_ms, 300),
            "begins": moment(now_ms, -60),
            "format": PERSISTENT,
            "email": "ada@acme.test",
            "groups": ("engines",),
            **changed,
        }
        groups = "".join(f"<saml:AttributeValue>{one}</saml:AttributeValue>" for one in given["groups"])
        audience = (
            f"<saml:AudienceRestriction><saml:Audience>{given['audience']}</saml:Audience>"
            "</saml:AudienceRestriction>"
            if given["audience"]
            else ""
        )
        return (
            f'<saml:Assertion xmlns:saml="{SAML}" ID="{assertion_id}" Version="2.0" '
            f'IssueInstant="{moment(now_ms)}"><saml:Issuer>{given["issuer"]}</saml:Issuer>'
            f'<saml:Subject><saml:NameID Format="{given["format"]}">{subject}</saml:NameID>'
            '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">'
            f'<saml:SubjectConfirmationData NotOnOrAfter="{given["ends"]}" Recipient="{given["recipient"]}" '
            f'InResponseTo="{given["in_response_to"]}"/></saml:SubjectConfirmation></saml:Subject>'
            f'<saml:Conditions NotBefore="{given["begins"]}" NotOnOrAfter="{given["ends"]}">{audience}'
            "</saml:Conditions>"
            f'<saml:AuthnStatement AuthnInstant="{moment(now_ms)}" SessionIndex="s-1"/>'
            "<saml:AttributeStatement>"
            f'<saml:Attribute Name="mail"><saml:AttributeValue>{given["email"]}</saml:AttributeValue>'
            '</saml:Attribute><saml:Attribute Name="displayName"><saml:AttributeValue>Ada Lovelace'
            '</saml:AttributeValue></saml:Attribute><saml:Attribute Name="uid"><saml:AttributeValue>'
            f'{subject}</saml:AttributeValue></saml:Attribute><saml:Attribute Name="memberOf">{groups}'
            "</saml:Attribute></saml:AttributeStatement></saml:Assertion>"
        )

    def sign(self, text):
        """Returns an element with a signature over it, as its second child."""
        element = etree.fromstring(text)
        signer = XMLSigner(c14n_algorithm=CanonicalizationMethod.EXCLUSIVE_XML_CANONICALIZATION_1_0)
        return signer.sign(element, key=self.key, cert=self.cert, reference_uri=element.get("ID"))

    def response(self, asked, *inner, **changed):
        """Returns a response around elements, unsigned itself."""
        given = {
            "destination": asked.acs,
            "in_response_to": asked.id,
            "status": "urn:oasis:names:tc:SAML:2.0:status:Success",
            **changed,
        }
        root = etree.fromstring(
            f'<samlp:Response xmlns:samlp="{SAMLP}" xmlns:saml="{SAML}" ID="_r1" Version="2.0" '
            f'Destination="{given["destination"]}" InResponseTo="{given["in_response_to"]}">'
            f"<saml:Issuer>{self.issuer}</saml:Issuer><samlp:Status>"
            f'<samlp:StatusCode Value="{given["status"]}"/></samlp:Status></samlp:Response>'
        )
        for one in inner:
            root.append(one)
        return root


def encoded(root):
    raw = root if isinstance(root, bytes) else etree.tostring(root)
    return base64.b64encode(raw).decode()
