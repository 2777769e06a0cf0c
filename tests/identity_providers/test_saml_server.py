"""`pysaml2` as a company's sign-in server: what it signs lets in, and nothing else does."""

import copy
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from lxml import etree

from builtin_plugins.saml.tests.idp import SAML, encoded
from tests.identity_providers.running import catch_up, running_saml_server

pytestmark = [pytest.mark.any_database, pytest.mark.hall_databases("sqlite")]


class Visit:
    """A browser between the two."""

    def __init__(self, hall, server, way):
        self.hall, self.server, self.way = hall, server, way

    async def answered(self, *sign):
        """Goes to the server; keeps what it is sent back with."""
        catch_up(self.hall)
        begun = await self.hall.anonymous.get(f"/api/auth/saml/{self.way['id']}/start")
        self.cookie = begun.headers["set-cookie"].split(";")[0]
        query = parse_qs(urlsplit(begun.headers["location"]).query)
        self.state = query["RelayState"][0]
        return etree.fromstring((await self.server.answer(query["SAMLRequest"][0], *sign)).encode())

    async def back(self, response):
        form = {"SAMLResponse": encoded(response), "RelayState": self.state}
        answer = await self.hall.anonymous.post(
            f"/api/auth/saml/{self.way['id']}/acs",
            content=urlencode(form).encode(),
            headers={"content-type": "application/x-www-form-urlencoded", "cookie": self.cookie},
        )
        assert answer.status_code == 303, answer.text
        fragment = parse_qs(urlsplit(answer.headers["location"]).fragment)
        return {name: values[0] for name, values in fragment.items()}


async def test_what_it_signs_lets_in_and_nothing_else(hall, tmp_path):
    async with running_saml_server(tmp_path) as server:
        rules = [{"claim": "groups", "contains": "engines", "role": "admin"}]
        body = {"kind": "saml", "label": "Acme", "metadata": server.metadata, "rules": rules}
        made = await hall.acme.org_owner.post("/api/org/sign-in", body)
        assert made.status_code == 201, made.text
        way = made.json()
        ours = await hall.anonymous.get(urlsplit(way["addresses"]["metadata"]).path)
        server.know(ours.text)
        visit = Visit(hall, server, way)

        for sign in (("assertion",), ("assertion", "response")):
            found = await visit.back(await visit.answered(*sign))
            assert "token" in found, found
            who = (await hall.bearer(found["token"]).get("/api/whoami")).json()
            assert (who["user"]["display_name"], who["team"]["role"]) == ("Ada Lovelace", "admin")

        for sign in ((), ("response",)):
            assert await visit.back(await visit.answered(*sign)) == {"error": "saml_invalid"}, sign

        # An assertion of somebody else around, before and in the place of the one that is signed.
        for place in (wrapped_before, wrapped_inside, changed):
            response = place(await visit.answered("assertion"))
            assert await visit.back(response) == {"error": "saml_invalid"}, place.__name__


def forged(assertion):
    other = copy.deepcopy(assertion)
    other.set("ID", "_evil")
    other.remove(other.find("{http://www.w3.org/2000/09/xmldsig#}Signature"))
    other.find(f".//{{{SAML}}}NameID").text = "the-owner"
    return other


def wrapped_before(response):
    assertion = response.find(f"{{{SAML}}}Assertion")
    assertion.addprevious(forged(assertion))
    return response


def wrapped_inside(response):
    assertion = response.find(f"{{{SAML}}}Assertion")
    outer = forged(assertion)
    response.replace(assertion, outer)
    outer.append(assertion)
    return response


def changed(response):
    response.find(f".//{{{SAML}}}NameID").text = "the-owner"
    return response
