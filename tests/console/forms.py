"""Every form of the console by its name: the way to it, and what it takes to be sent."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builtin_plugins.beta.prospects.routes import make_prospect
from builtin_plugins.passkeys.authenticator import SoftwareAuthenticator
from guildhall_testing.people import PASSWORD
from tests.console.toys import SPEC
from tests.console.visitor import REFUSED, settled

HOUSE = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("console/src", "console/packages", *(HOUSE / "builtin_plugins").glob("*/console"))
    for path in sorted((HOUSE / folder).rglob("*.tsx"))
]
NEW_PASSWORD = "looms weave algebraic patterns"
Way = Callable[[Any, Any], Awaitable[Any]]


@dataclass(frozen=True)
class FormCase:
    """A form, how one comes to it, and entries that the server takes."""

    open: Way
    fill: dict[str, str] = field(default_factory=dict)
    choose: dict[str, str] = field(default_factory=dict)
    #: It asks the server for nothing: what is entered stays on the page.
    is_local: bool = False
    #: The server takes more than a test enters here: that it was asked again is all there is to see.
    is_refused: bool = False
    #: Nothing can be pressed before the one right thing is entered.
    is_guarded: bool = False


FORMS: dict[str, FormCase] = {}


def form(name: str, **rest: Any) -> Callable[[Way], Way]:
    """Registers the way to a form."""

    def register(way: Way) -> Way:
        FORMS[name] = FormCase(way, **rest)
        return way

    return register


def names_in_sources() -> list[str]:
    """Returns the names of all forms that the console's sources have."""
    texts = (path.read_text("utf-8") for path in SOURCES if path.name != "Form.tsx")
    return [name for text in texts for name in re.findall(r"<Form(?:Dialog)?\s[^>]*?name=\"([^\"]*)\"", text)]


def forms_of_their_own() -> list[str]:
    """Returns the sources that make a form without the kit."""
    own = re.compile(r"<form\s[^>]*onSubmit|import \{[^}]*\bForm\b[^}]*\} from \"react-aria-components\"")
    return [path.name for path in SOURCES if path.name != "Form.tsx" and own.search(path.read_text("utf-8"))]


def pressing(who: str, path: str, *buttons: str) -> Way:
    """Returns the way to a form that a button opens, one after the other where there are several."""

    async def way(hall: Any, visitor: Any) -> Any:
        client = hall.operator if who == "operator" else hall.acme[who]
        page = await visitor.open(client, path, allowed=[REFUSED])
        await settled(page)
        for name in buttons:
            await page.get_by_role("button", name=name).first.click()
        return page

    return way


async def made(client: Any, path: str, fields: dict[str, Any]) -> Any:
    answer = await client.post(path, fields)
    assert answer.status_code in (200, 201, 202), answer.text
    return answer.json()


form("add-member", fill={"Username": "grace"})(pressing("admin", "/members", "Add a member"))
form("new-token", fill={"What it is for": "nightly"})(pressing("admin", "/tokens", "New token"))
form("new-s3-key", fill={"Only below this prefix": "in/"})(pressing("admin", "/s3-keys", "New access key"))
form("new-job", fill={"What goes in": '{"lane": "hamburg-shanghai"}'}, choose={"Kind": "lane-report"})(
    pressing("member", "/jobs", "New job")
)
form("profile", fill={"Display name": "Ada Lovelace"})(pressing("member", "/account"))
form("change-password", fill={"Current password": PASSWORD, "New password": NEW_PASSWORD})(
    pressing("colleague", "/account/security")
)
form("new-document", fill={"Title": "Minutes"})(pressing("member", "/files", "New document"))
form("file-name", fill={"Name": "plans"})(pressing("member", "/files", "New folder"))
form("lifecycle-rule", fill={"Name": "tidy", "Days": "30"})(pressing("admin", "/s3-keys", "New rule"))
form("term", fill={"Term": "order", "Translation": "pedido"})(
    pressing("admin", "/glossary?target=es", "Add term")
)
form("import-terms", fill={"Terms": "order\tpedido"})(
    pressing("admin", "/glossary?target=es", "Import terms")
)
form("attach", is_local=True)(pressing("member", "/chat", "Attach a document"))
form("new-company", fill={"Company name": "Looms", "Username": "ada.looms"})(
    pressing("operator", "/instance/companies", "New company")
)
form("new-executor", fill={"Name": "one", "Address": "http://127.0.0.1:9/v1"})(
    pressing("operator", "/instance/executors", "New executor")
)
form("limit", fill={"Limit": "12"})(pressing("operator", "/usage", "Set a limit"))
form("new-company-executor", fill={"Name": "two", "Address": "https://models.example/v1"})(
    pressing("org_owner", "/company/executors", "New executor")
)
form("branding", fill={"Title": "Looms"})(pressing("org_owner", "/company/branding"))
form("new-team", fill={"Team name": "Weavers"})(pressing("org_owner", "/company/teams", "New team"))
form("add-person", fill={"Username": "grace"})(pressing("org_owner", "/company/people", "Add a person"))
form("page-language", fill={"Add a language, such as nl or pt-BR": "fr"}, is_local=True)(
    pressing("operator", "/beta-program/page")
)
form("contributed", fill={"Lane": "hamburg-shanghai"})(pressing("member", "/x/integrator-demo/lanes"))
form("directory-token", fill={"What it is for": "Entra"})(
    pressing("org_owner", "/company/directory", "New directory token")
)


async def visit(visitor: Any, client: Any, path: str) -> Any:
    page = await visitor.open(client, path, allowed=[REFUSED])
    await settled(page)
    return page


@form("sign-in", fill={"Username": "acme-member", "Password": PASSWORD})
async def sign_in(hall, visitor):
    return await visit(visitor, None, "/login")


@form("activate", fill={"New password": NEW_PASSWORD})
async def activate(hall, visitor):
    invited = await made(hall.acme.admin, "/api/members", {"username": "grace", "role": "member"})
    return await visit(visitor, None, f"/activate#token={invited['token']}")


@form("renewal", fill={"Password": PASSWORD})
async def renewal(hall, visitor):
    page = await visit(visitor, await hall.with_token(hall.acme.member, kind="session"), "/notes")
    token = await page.evaluate("JSON.parse(sessionStorage.getItem('guildhall.session')).token")
    await hall.bearer(token).post("/api/logout")
    await page.get_by_role("link", name="Team", exact=True).click()
    await page.get_by_role("dialog", name="Sign in").wait_for()
    return page


form("gallery", fill={"Name": "Ada"}, is_local=True)(pressing("member", "/kit"))


@form("open-language", fill={"Language tag": "fr"})
async def open_language(hall, visitor):
    return await visit(visitor, await hall.join(hall.acme, "localizer"), "/localize/languages")


@form("confirm-factor", fill={"Code from the app": "123456"}, is_refused=True)
async def confirm_factor(hall, visitor):
    page = await visit(visitor, hall.acme.member, "/account/security")
    await page.get_by_role("button", name="Turn on two-factor authentication").click()
    await page.get_by_role("dialog").get_by_label("Current password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    return page


@form("rename-team", fill={"Team name": "Annex"})
async def rename_team(hall, visitor):
    page = await visit(visitor, hall.acme.org_owner, "/company/teams")
    await page.get_by_role("button", name="Rename: Acme Second").click()
    return page


@form("delete-team")
async def delete_team(hall, visitor):
    await made(hall.acme.org_owner, "/api/org/teams", {"name": "Annex"})
    page = await visit(visitor, hall.acme.org_owner, "/company/teams")
    await page.get_by_role("button", name="Delete: Annex").click()
    return page


@form("note-tags", fill={"Tags": "board"})
async def note_tags(hall, visitor):
    note = await made(hall.acme.member, "/api/notes", {"title": "Minutes", "body": "one"})
    page = await visit(visitor, hall.acme.member, f"/notes/{note['id']}")
    await page.get_by_role("button", name="More actions: Minutes").click()
    await page.get_by_role("menuitem", name="Edit tags").click()
    return page


@form("share-note", choose={"Person": "acme-colleague"})
async def share_note(hall, visitor):
    note = await made(hall.acme.member, "/api/notes", {"title": "Minutes", "body": "one"})
    page = await visit(visitor, hall.acme.member, f"/notes/{note['id']}")
    await page.get_by_role("button", name="Share").first.click()
    return page


@form("share-document", choose={"Person or team": "acme-colleague"})
async def share_document(hall, visitor):
    document = await made(hall.acme.member, "/api/documents", {"title": "Minutes", "body": "one"})
    page = await visit(visitor, hall.acme.member, f"/files/{document['id']}")
    await page.get_by_role("button", name="Share").first.click()
    return page


async def conversation(hall, visitor, action):
    """Goes to what is done with a conversation in the list."""
    await made(hall.acme.member, "/api/conversations", {"title": "Who keeps the bridge?"})
    await made(hall.acme.member, "/api/conversation-folders", {"name": "Harbour"})
    page = await visit(visitor, hall.acme.member, "/chat")
    await page.get_by_role("list", name="Conversations").get_by_role("button").first.click()
    await page.get_by_role("menuitem", name=action).click()
    return page


@form("rename-conversation", fill={"Name": "Bridges"})
async def rename_conversation(hall, visitor):
    return await conversation(hall, visitor, "Rename")


@form("move-conversation", choose={"Folder": "Harbour"})
async def move_conversation(hall, visitor):
    return await conversation(hall, visitor, "Move to a folder")


@form("share-conversation", choose={"With": "Everybody in"})
async def share_conversation(hall, visitor):
    return await conversation(hall, visitor, "Share")


form("conversation-folder", fill={"Name": "Harbour"})(pressing("member", "/chat", "New folder"))


@form("run-workflow", fill={"words": "a"})
async def run_workflow(hall, visitor):
    await made(hall.acme.admin, "/api/workflows", SPEC)
    return await visit(visitor, hall.acme.admin, f"/workflows/{SPEC['slug']}/run")


@form("trigger", choose={"Workflow to start": "Say words"}, fill={"words": "a"})
async def trigger(hall, visitor):
    await made(hall.acme.admin, "/api/workflows", SPEC)
    return await visit(visitor, hall.acme.admin, "/triggers/new")


@form(
    "schedule",
    choose={"Workflow to start": "Say words"},
    fill={"Cron expression": "0 8 * * MON", "words": "a"},
)
async def schedule(hall, visitor):
    await made(hall.acme.admin, "/api/workflows", SPEC)
    return await visit(visitor, hall.acme.admin, "/schedules/new")


@form("entity", fill={"Name": "Anna de Vries"})
async def entity(hall, visitor):
    text = "Anna Jansen works for Acme Shipping. Acme Shipping sails from Rotterdam."
    await made(hall.acme.admin, "/api/documents", {"title": "Harbour", "body": text, "visibility": "team"})
    await hall.drain_jobs()
    await made(hall.acme.admin, "/api/kg/extract", {})
    await hall.drain_jobs()
    found = (await hall.acme.admin.get("/api/kg/entities")).json()["items"][0]
    page = await visit(visitor, hall.acme.admin, f"/knowledge/{found['id']}")
    await page.get_by_role("button", name="Edit").first.click()
    return page


@form("company-details", fill={"Company name": "Looms"})
async def company_details(hall, visitor):
    return await visit(visitor, hall.operator, f"/instance/companies/{hall.acme.slug}")


@form("confirm", fill={"Type “Acme” to confirm": "Acme"}, is_guarded=True)
async def confirm(hall, visitor):
    page = await visit(visitor, hall.operator, f"/instance/companies/{hall.acme.slug}")
    await page.get_by_role("button", name="Suspend").click()
    return page


@form("invite-prospect", fill={"Username": "ann.baker"})
async def invite_prospect(hall, visitor):
    await hall.give_hostname(hall.acme)
    await make_prospect(hall.acme.org_owner, "ann")
    page = await visit(visitor, hall.acme.org_owner, "/beta-program?status=captured")
    await page.get_by_role("option", name="ann@example.com").click()
    await page.get_by_role("button", name="Accept").click()
    return page


@form("forgot", fill={"Username or e-mail address": "ada"})
async def forgot(hall, visitor):
    page = await visit(visitor, None, "/login")
    await page.get_by_role("button", name="Forgot your password?").click()
    return page


@form("email", fill={"E-mail address": "ada@example.com"})
async def email(hall, visitor):
    return await visit(visitor, hall.acme.member, "/account")


@form("model", fill={"Name": "quick", "What people see": "Quick"}, choose={"Runs on": "ours"})
async def model(hall, visitor):
    await made(hall.acme.org_owner, "/api/org/executors", {"name": "ours", "mode": "pull"})
    page = await visit(visitor, hall.acme.org_owner, "/company/models")
    await page.get_by_role("button", name="Name a model").first.click()
    return page


@form("team-secret", fill={"Name": "weather-key", "Value": "sunny"})
async def team_secret(hall, visitor):
    page = await visit(visitor, hall.acme.admin, "/secrets")
    await page.get_by_role("button", name="Add secret").first.click()
    return page


SIGN_IN_WAY = {"kind": "oidc", "issuer": "https://id.example.invalid", "client_id": "guildhall"}


@form("sign-in-way", fill={"Issuer": "https://id.example.invalid", "Client ID": "guildhall"})
async def sign_in_way(hall, visitor):
    page = await visit(visitor, hall.acme.org_owner, "/company/sign-in")
    await page.get_by_role("button", name="Add a way to sign in").first.click()
    return page


@form("claim-domain", fill={"Domain": "claimed.example"})
async def claim_domain(hall, visitor):
    await made(hall.acme.org_owner, "/api/org/sign-in", SIGN_IN_WAY)
    page = await visit(visitor, hall.acme.org_owner, "/company/domains")
    await page.get_by_role("button", name="Claim a domain").first.click()
    return page


@form("sign-in-preview", fill={"Claims": '{"sub": "1", "preferred_username": "somebody-new"}'})
async def sign_in_preview(hall, visitor):
    way = await made(hall.acme.org_owner, "/api/org/sign-in", SIGN_IN_WAY)
    return await visit(visitor, hall.acme.org_owner, f"/company/sign-in/{way['id']}")


@form("new-webhook", fill={"Address": "https://receiver.example.com/in"})
async def new_webhook(hall, visitor):
    page = await visit(visitor, hall.acme.admin, "/webhooks")
    await page.get_by_role("button", name="Add webhook").first.click()
    # Without an event there is nothing to send.
    await (
        page.locator("form[data-form='new-webhook'] label")
        .filter(has=page.get_by_role("checkbox"))
        .first.click()
    )
    return page


@form("new-hook-in", choose={"Workflow": "Say words"})
async def new_hook_in(hall, visitor):
    await made(hall.acme.admin, "/api/workflows", SPEC)
    page = await visit(visitor, hall.acme.admin, "/webhooks")
    await page.get_by_role("button", name="Add address").first.click()
    return page


@form("decide")
async def decide(hall, visitor):
    step = {"name": "ask", "kind": "approve", "title": "Pay?", "people": [hall.acme.admin.user_id]}
    spec = {"slug": "pay", "name": "Pay", "start": "ask", "steps": [step]}
    await made(hall.acme.admin, "/api/workflows", spec)
    await made(hall.acme.admin, "/api/workflows/pay/run", {})
    await hall.drain_jobs()
    found = (await hall.acme.admin.get("/api/approvals?mine=1")).json()["items"][0]
    return await visit(visitor, hall.acme.admin, f"/approvals/{found['id']}")


async def with_passkey(hall, visitor):
    """Shows one's passkeys, of which there is one; they are kept on the server, whatever the browser can."""
    person, authenticator = hall.acme.member, SoftwareAuthenticator(hall.base_url)
    await person.post("/api/session/confirm", {"password": PASSWORD})
    options = (await person.post("/api/passkeys/options", {})).json()
    body = {"name": "My laptop", "credential": authenticator.create(options)}
    await person.post("/api/passkeys/register", body)
    return await visit(visitor, person, "/account/passkeys")


@form("passkey", fill={"Name": "The old laptop"})
async def rename_passkey(hall, visitor):
    page = await with_passkey(hall, visitor)
    await page.get_by_role("button", name="Rename passkey").click()
    return page


@form("proof", fill={"Current password": PASSWORD})
async def proof(hall, visitor):
    page = await with_passkey(hall, visitor)
    hall.clock.advance(minutes=20)
    await page.get_by_role("button", name="Remove passkey").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove passkey").click()
    return page
