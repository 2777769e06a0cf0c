"""Apps of others in the console: allowed in part, listed with what they may do, and shut out."""

import hashlib
import secrets
from base64 import urlsafe_b64encode
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.async_api import expect

from tests.console.visitor import serious_violations

pytestmark = pytest.mark.hall_databases("sqlite")


class Editor:
    """An app that registers, sends people to the page of consent, and works with what they allow."""

    def __init__(self, hall):
        self.hall, self.verifier = hall, secrets.token_urlsafe(48)
        self.answers_at = f"{hall.base_url}/done"
        self.id = self.tokens = None

    async def consent_path(self, scope):
        body = {"client_name": "Their editor", "redirect_uris": [self.answers_at]}
        self.id = (await self.hall.anonymous.post("/oauth/register", body)).json()["client_id"]
        hashed = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "client_id": self.id,
            "redirect_uri": self.answers_at,
            "response_type": "code",
            "code_challenge": urlsafe_b64encode(hashed).decode().rstrip("="),
            "code_challenge_method": "S256",
            "scope": scope,
        }
        return f"/oauth/authorize?{urlencode(asked)}"

    async def exchange(self, address):
        fields = {
            "grant_type": "authorization_code",
            "client_id": self.id,
            "code": parse_qs(urlsplit(address).query)["code"][0],
            "code_verifier": self.verifier,
            "redirect_uri": self.answers_at,
        }
        self.tokens = (await self._form(fields)).json()

    async def refresh(self):
        fields = {"grant_type": "refresh_token", "client_id": self.id, **self.tokens}
        return await self._form({name: fields[name] for name in ("grant_type", "client_id", "refresh_token")})

    async def _form(self, fields):
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        content = urlencode(fields).encode()
        return await self.hall.anonymous.post("/oauth/token", content=content, headers=headers)

    async def works(self):
        answer = await self.hall.bearer(self.tokens["access_token"]).get("/api/notes")
        return answer.status_code == 200


async def allowed_editor(hall, visitor, person):
    """An app that somebody allowed to read notes, though it asked to write them too."""
    editor = Editor(hall)
    page = await visitor.open(person, await editor.consent_path("notes:read notes:write"))
    await page.get_by_role("heading", name="Their editor").wait_for()
    boxes = page.locator("main").get_by_role("checkbox")
    await expect(boxes).to_have_count(2)
    await page.locator("main label").filter(has=page.get_by_role("checkbox")).last.click()
    assert await serious_violations(page) == []
    await page.get_by_role("button", name="Allow").click()
    await page.wait_for_url("**/done?**")
    await editor.exchange(page.url)
    assert editor.tokens["scope"] == "notes:read"
    assert await editor.works()
    return editor


async def test_an_app_is_listed_with_what_it_may_do_and_is_shut_out_at_once(hall, visitor):
    member = hall.acme.member
    editor = await allowed_editor(hall, visitor, member)
    page = await visitor.open(member, "/account/apps")
    row = page.get_by_role("row", name="Their editor")
    await expect(row).to_contain_text("Read notes")
    await expect(row).not_to_contain_text("Write")
    # Whoever does not manage the team is not shown the apps of others.
    await expect(page.get_by_role("button", name="Whose")).to_have_count(0)
    assert await serious_violations(page) == []
    await row.get_by_role("button", name="Disconnect").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()
    await page.get_by_text("No app acts for").wait_for()
    assert not await editor.works()
    assert (await editor.refresh()).json()["error"] == "invalid_grant"


@pytest.mark.parametrize(
    ("who", "whose"),
    [
        pytest.param("admin", "Everybody’s", marks=pytest.mark.long_form),
        ("org_owner", "The whole company’s"),
    ],
)
async def test_who_manages_the_team_or_the_company_ends_the_apps_of_everybody(hall, visitor, who, whose):
    editor = await allowed_editor(hall, visitor, hall.acme.colleague)
    page = await visitor.open(hall.acme[who], "/account/apps")
    await page.get_by_text("No app acts for").wait_for()
    await page.get_by_role("button", name="Whose").click()
    await page.get_by_role("option", name=whose).click()
    row = page.get_by_role("row", name="Their editor")
    await expect(row).to_contain_text("acme-colleague")
    assert await serious_violations(page) == []
    await row.get_by_role("button", name="Disconnect").click()
    await page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()
    await page.get_by_text("No app acts for").wait_for()
    assert not await editor.works()
    assert (await editor.refresh()).json()["error"] == "invalid_grant"
