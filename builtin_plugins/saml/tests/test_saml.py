"""Signing in by SAML, and everything that must not sign anybody in."""

import base64
import copy
import zlib
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import pytest_asyncio
from lxml import etree

from builtin_plugins.saml.tests.idp import ISSUER, SAML, SAMLP, SIGN_IN, IdP, encoded, moment

pytestmark = [pytest.mark.shared_server, pytest.mark.any_database]


@dataclass
class Asked:
    """What the server asked for, as the other side reads it."""

    id: str
    acs: str
    audience: str
    state: str
    cookie: str


@pytest.fixture(scope="module")
def idp():
    return IdP()


@pytest_asyncio.fixture(loop_scope="session")
async def hall(share_hall):
    async with share_hall() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def way(hall, idp):
    body = {"kind": "saml", "label": "Acme", "metadata": idp.metadata}
    answer = await hall.acme.org_owner.post("/api/org/sign-in", body)
    assert answer.status_code == 201, answer.text
    return answer.json()


class Visit:
    """A browser on its way to the sign-in server and back."""

    def __init__(self, hall, way):
        self.hall, self.way = hall, way

    async def start(self):
        answer = await self.hall.anonymous.get(f"/api/auth/saml/{self.way['id']}/start")
        assert answer.status_code == 303, answer.text
        url = urlsplit(answer.headers["location"])
        assert url.geturl().startswith(SIGN_IN)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        text = zlib.decompress(base64.b64decode(query["SAMLRequest"]), wbits=-15)
        request = etree.fromstring(text)
        self.asked = Asked(
            id=request.get("ID"),
            acs=request.get("AssertionConsumerServiceURL"),
            audience=request.findtext(f"{{{SAML}}}Issuer"),
            state=query["RelayState"],
            cookie=answer.headers["set-cookie"].split(";")[0],
        )
        return self.asked

    async def back(self, response, *, state=None, cookie=None):
        """Returns what is behind the `#` of where the browser ends."""
        form = {"SAMLResponse": encoded(response), "RelayState": state or self.asked.state}
        answer = await self.hall.anonymous.request(
            "POST",
            f"/api/auth/saml/{self.way['id']}/acs",
            content=urlencode(form).encode(),
            headers={
                "content-type": "application/x-www-form-urlencoded",
                "cookie": self.asked.cookie if cookie is None else cookie,
            },
        )
        assert answer.status_code == 303, answer.text
        fragment = parse_qs(urlsplit(answer.headers["location"]).fragment)
        return {name: values[0] for name, values in fragment.items()}


@pytest_asyncio.fixture(loop_scope="session")
async def visit(hall, way):
    visit = Visit(hall, way)
    await visit.start()
    return visit


@pytest.mark.every_database
async def test_whom_a_signed_assertion_names_comes_in(hall, idp, visit):
    now = hall.clock.now_ms()
    signed = idp.sign(idp.assertion(visit.asked, now, assertion_id="_good"))
    arrived = await visit.back(idp.response(visit.asked, signed))
    who = (await hall.bearer(arrived["token"]).get("/api/whoami")).json()
    assert who["user"]["display_name"] == "Ada Lovelace"
    # The same answer once more, in a sign-in of its own.
    await visit.start()
    again = await visit.back(idp.response(visit.asked, signed))
    assert "token" not in again
    fresh = idp.sign(idp.assertion(await visit.start(), now, assertion_id="_good2"))
    twice = await visit.back(idp.response(visit.asked, fresh))
    other = (await hall.bearer(twice["token"]).get("/api/whoami")).json()
    assert other["user"]["id"] == who["user"]["id"]


async def test_an_assertion_is_used_once(hall, idp, visit):
    """Its id is kept: even in a sign-in that asked for it."""
    now = hall.clock.now_ms()
    first = idp.sign(idp.assertion(visit.asked, now, assertion_id="_once"))
    assert "token" in await visit.back(idp.response(visit.asked, first))
    second = idp.sign(idp.assertion(await visit.start(), now, assertion_id="_once"))
    assert await visit.back(idp.response(visit.asked, second)) == {"error": "saml_invalid"}


async def test_metadata_say_where_to_send_people_back(hall, way):
    answer = await hall.anonymous.get(f"/api/auth/saml/{way['id']}/metadata")
    assert answer.status_code == 200
    root = etree.fromstring(answer.content)
    acs = root.find(".//{urn:oasis:names:tc:SAML:2.0:metadata}AssertionConsumerService")
    assert acs.get("Location") == way["addresses"]["acs"]
    assert root.get("entityID") == way["addresses"]["metadata"]


@pytest.mark.parametrize(
    "changed",
    [
        {"audience": "https://other.test"},
        {"audience": ""},
        {"recipient": "https://evil.test/acs"},
        {"in_response_to": "_another"},
        {"issuer": "https://evil.test"},
        {"ends": moment(0)},
        {"ends": "tomorrow"},
        {"begins": moment(4_000_000_000_000)},
        {"format": "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"},
        {"subject": ""},
    ],
)
async def test_an_assertion_for_something_else_lets_nobody_in(hall, idp, visit, changed):
    signed = idp.sign(idp.assertion(visit.asked, hall.clock.now_ms(), assertion_id="_other", **changed))
    assert await visit.back(idp.response(visit.asked, signed)) == {"error": "saml_invalid"}


@pytest.mark.parametrize(
    "changed",
    [
        {"destination": "https://evil.test"},
        {"destination": ""},
        {"in_response_to": "_another"},
        {"status": "urn:oasis:names:tc:SAML:2.0:status:Responder"},
    ],
)
async def test_a_response_for_something_else_lets_nobody_in(hall, idp, visit, changed):
    signed = idp.sign(idp.assertion(visit.asked, hall.clock.now_ms(), assertion_id="_resp"))
    assert await visit.back(idp.response(visit.asked, signed, **changed)) == {"error": "saml_invalid"}


async def test_a_sign_in_is_that_of_its_browser(hall, idp, visit):
    signed = idp.sign(idp.assertion(visit.asked, hall.clock.now_ms(), assertion_id="_browser"))
    response = idp.response(visit.asked, signed)
    assert await visit.back(response, cookie="") == {"error": "state_invalid"}
    await visit.start()
    assert await visit.back(response, state="made-up") == {"error": "state_invalid"}


def forged(idp, asked, now):
    """Yields answers that name an evil subject, by their names."""
    evil = idp.assertion(asked, now, assertion_id="_evil", subject="root")
    good = idp.sign(idp.assertion(asked, now, assertion_id="_signed"))
    yield "unsigned", idp.response(asked, etree.fromstring(evil))
    stranger = IdP()
    yield "signed by another", stranger.response(asked, stranger.sign(evil))
    changed = copy.deepcopy(good)
    changed.find(f".//{{{SAML}}}NameID").text = "root"
    yield "changed behind the signature", idp.response(asked, changed)
    stripped = copy.deepcopy(good)
    stripped.remove(stripped.find("{http://www.w3.org/2000/09/xmldsig#}Signature"))
    yield "signature taken out", idp.response(asked, stripped)
    yield "two assertions, evil first", idp.response(asked, etree.fromstring(evil), copy.deepcopy(good))
    yield "two assertions, evil last", idp.response(asked, copy.deepcopy(good), etree.fromstring(evil))
    # XSW: the signed one hides inside of the evil one, or of an extension, with the signature beside it.
    wrapper = etree.fromstring(evil)
    hidden = copy.deepcopy(good)
    signature = hidden.find("{http://www.w3.org/2000/09/xmldsig#}Signature")
    hidden.remove(signature)
    wrapper.insert(1, signature)
    etree.SubElement(signature, "{http://www.w3.org/2000/09/xmldsig#}Object").append(hidden)
    yield "wrapped in the signature's object", idp.response(asked, wrapper)
    wrapper = etree.fromstring(evil)
    wrapper.append(copy.deepcopy(good))
    yield "wrapped in the assertion", idp.response(asked, wrapper)
    extended = idp.response(asked, etree.fromstring(evil))
    etree.SubElement(extended, f"{{{SAMLP}}}Extensions").append(copy.deepcopy(good))
    yield "wrapped in an extension", extended
    same_id = etree.fromstring(evil.replace("_evil", "_signed"))
    twice = idp.response(asked, same_id)
    etree.SubElement(twice, f"{{{SAMLP}}}Extensions").append(copy.deepcopy(good))
    yield "the same id twice", twice
    moved = etree.fromstring(evil)
    moved.insert(1, copy.deepcopy(good.find("{http://www.w3.org/2000/09/xmldsig#}Signature")))
    yield "a signature over something else", idp.response(asked, moved)
    whole = idp.response(asked, etree.fromstring(evil))
    yield "only the response is signed", idp.sign(etree.tostring(whole))
    root = etree.Element("nothing")
    root.append(copy.deepcopy(good))
    yield "in no response", root
    text = etree.tostring(idp.response(asked, copy.deepcopy(good)))
    yield "an entity", b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + text
    yield "many entities", b'<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>' + text
    yield "in another encoding", ("<?xml version='1.0' encoding='UTF-16'?>" + text.decode()).encode("utf-16")
    yield "a processing instruction", text.replace(b"<saml:Issuer>", b"<?x y?><saml:Issuer>", 1)
    yield "no XML", b"<samlp:Response"
    yield "nothing", b""
    yield "too long", b"<a>" + b"x" * 300_000 + b"</a>"


async def test_nothing_that_is_forged_lets_anybody_in(hall, idp, visit):
    now = hall.clock.now_ms()
    names = [name for name, _ in forged(idp, visit.asked, now)]
    assert len(names) == 20
    for at, name in enumerate(names):
        asked = await visit.start()
        _, response = [*forged(idp, asked, now)][at]
        assert await visit.back(response) == {"error": "saml_invalid"}, name
    people = (await hall.acme.org_owner.get("/api/org/members", params={"limit": 200})).json()["items"]
    assert "root" not in {one["username"] for one in people}


async def test_a_comment_does_not_cut_a_name(hall, idp, visit):
    """`admin<!-- -->.evil` is one name, and never `admin`."""
    text = idp.assertion(visit.asked, hall.clock.now_ms(), assertion_id="_comment", subject="carl.evil")
    signed = idp.sign(text)
    raw = etree.tostring(idp.response(visit.asked, signed)).replace(b">carl.evil<", b">carl<!-- x -->.evil<")
    arrived = await visit.back(raw)
    who = (await hall.bearer(arrived["token"]).get("/api/whoami")).json()
    assert who["user"]["username"] == "carl.evil"


@pytest.mark.parametrize(
    "metadata",
    [
        "nothing",
        "<a/>",
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        f'<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{ISSUER}"/>',
        "http://id.acme.test/metadata",
        "https://127.0.0.1/metadata",
        "https://169.254.169.254/latest",
    ],
)
async def test_metadata_of_nobody_are_refused(hall, metadata):
    body = {"kind": "saml", "label": "x", "metadata": metadata}
    answer = await hall.acme.org_owner.post("/api/org/sign-in", body)
    assert answer.status_code == 400, answer.text


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "saml", "label": "x", "metadata": "http://127.0.0.1:9/metadata"},
        {"kind": "saml", "label": "x", "metadata": "https://127.0.0.1:9/metadata"},
        {"kind": "oidc", "label": "x", "issuer": "http://127.0.0.1", "client_id": "c", "client_secret": "s"},
        {"kind": "oidc", "label": "x", "issuer": "https://10.0.0.1", "client_id": "c", "client_secret": "s"},
    ],
)
async def test_a_server_on_a_private_address_is_refused_as_that(hall, body):
    answer = await hall.acme.org_owner.post("/api/org/sign-in", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "endpoint_refused")


async def test_another_companys_server_signs_nobody_in_here(hall, idp, visit):
    """A second company with a server of its own: its answers are nothing to the first."""
    theirs = IdP("https://id.globex.test")
    body = {"kind": "saml", "label": "Globex", "metadata": theirs.metadata}
    answer = await hall.globex.org_owner.post("/api/org/sign-in", body)
    assert answer.status_code == 201, answer.text
    now = hall.clock.now_ms()
    signed = theirs.sign(theirs.assertion(visit.asked, now, assertion_id="_theirs", issuer=idp.issuer))
    assert await visit.back(idp.response(visit.asked, signed)) == {"error": "saml_invalid"}


async def test_a_form_of_very_many_fields_lets_nobody_in(hall, way):
    content = "&".join(f"field{number}=1" for number in range(30)).encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    path = f"/api/auth/saml/{way['id']}/acs"
    answer = await hall.anonymous.request("POST", path, content=content, headers=headers)
    assert answer.status_code == 303
    assert answer.headers["location"].endswith("/login#error=saml_invalid")
