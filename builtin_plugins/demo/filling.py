"""What is in the hall of a demo, written over the API as people would write it."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from builtin_plugins.demo.client import Client
from builtin_plugins.demo.materials import files

PASSWORD = "demonstration hall"  # noqa: S105 - printed for whoever looks
_HARBOUR, _LIGHTS = "Harbour Works", "Northern Lines"
_DOMAIN = "harbour.example"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the demo; the first of a company founds it."""

    username: str
    name: str
    role: str
    company: str


_PEOPLE = (
    Person("anna", "Anna de Vries", "owner", _HARBOUR),
    Person("bela", "Bela Novak", "admin", _HARBOUR),
    Person("cleo", "Cleo Adeyemi", "member", _HARBOUR),
    Person("dario", "Dario Conti", "reviewer", _HARBOUR),
    Person("elin", "Elin Berg", "viewer", _HARBOUR),
    Person("jonas", "Jonas Berg", "owner", _LIGHTS),
)


def people() -> Sequence[Person]:
    """Returns who can sign in: the owner of the first company operates the instance too."""
    return _PEOPLE


def fill(stranger: Client) -> Iterator[str]:
    """Fills an instance that is new; says step by step what came of it."""
    clients = found_companies(stranger)
    anna, cleo = clients["anna"], clients["cleo"]
    yield f"2 companies, {len(clients)} people"
    seeded = clients["bela"].post("/api/admin/seed")
    yield f"{seeded['usage']['created']} days of usage"
    yield f"{_upload_files(cleo)} files"
    yield f"{_write_notes(clients)} notes, with their history"
    yield f"{_run_workflows(clients['bela'])} runs, of which one fails"
    yield f"{_plan_workflows(clients['bela'])} schedules, of which one is off"
    yield f"{_build_graph(anna)} entities in the knowledge graph"
    yield f"{_translate(clients['bela'], anna)} translations that wait for review"
    yield f"{_sign_up(stranger, clients['bela'], anna)} sign-ups"
    yield f"{_talk(cleo)} turns of a model, as today's usage, under a limit of tokens a day"
    anna.post("/api/quota", {"dimension": "ai.tokens.total", "window": "day", "limit": 25_000})


def found_companies(stranger: Client) -> dict[str, Client]:
    first, *others = _PEOPLE
    founder = {"username": first.username, "display_name": first.name, "password": PASSWORD}
    made = stranger.post("/api/bootstrap", {**founder, "org": _HARBOUR, "team": "Quay"})
    anna = stranger.of(made["token"])
    clients = {first.username: anna}
    for person in others:
        fields = {"username": person.username, "display_name": person.name, "password": PASSWORD}
        if person.company == _LIGHTS:
            org = anna.post("/api/orgs", {"name": _LIGHTS, "team": "Fleet", "owner": fields})
            clients[person.username] = stranger.of(org["token"])
        else:
            member = anna.post("/api/members", {**fields, "role": person.role})
            clients[person.username] = stranger.of(member["token"])
    return clients


def _upload_files(client: Client) -> int:
    made = 0
    for made, (key, content, content_type) in enumerate(files(), 1):  # noqa: B007 - counted
        client.upload(key, content, content_type)
    client.upload(
        "harbour/tides.html", b"<!doctype html><title>Tides</title><h1>Tides of April</h1>", "text/html"
    )
    private = client.upload(
        "drafts/offer.txt", b"Berth 7 for two years?\n", "text/plain", visibility="private"
    )
    client.post(f"/api/repo-obj/{private['id']}/visibility", {"visibility": "shared"})
    return made + 1


_NOTES: Sequence[tuple[str, str, str, Sequence[str]]] = (
    ("anna", "Week plan", "- [x] Pilot boat to berth 4\n- [ ] Ring Northern Lines\n", ["plan"]),
    ("bela", "Cranes", "Crane 2 stands still until Thursday.\n", ["cranes", "plan"]),
    ("cleo", "Call with Jonas", "He asks for two more years at berth 7.\n", ["northern lines"]),
    ("jonas", "Berths in Rotterdam", "Berth 7 suits the Aurora.\n", []),
)


def _write_notes(clients: Mapping[str, Client]) -> int:
    for username, title, body, tags in _NOTES:
        client = clients[username]
        note = client.post("/api/notes", {"title": title, "body": body, "tags": tags, "visibility": "team"})
        for more in ("\nAsked again on Wednesday.\n", "\nSettled.\n"):
            body += more
            client.put(f"/api/notes/{note['id']}", {"body": body})
    return len(_NOTES)


def _run_workflows(client: Client) -> int:
    find = {"name": "find", "kind": "tool", "tool": "repo_list_unindexed", "end": True}
    read = {
        "name": "read",
        "kind": "tool",
        "tool": "repo_extract_text",
        "with": {"id": "obj_of_nobody"},
        "end": True,
    }
    workflows = (
        {"slug": "find-unread", "name": "Find what is unread", "start": "find", "steps": [find]},
        {"slug": "read-lost", "name": "Read a document that is lost", "start": "read", "steps": [read]},
    )
    runs = []
    for spec, times in zip(workflows, (3, 1), strict=True):
        client.post("/api/workflows", spec)
        runs += [client.post(f"/api/workflows/{spec['slug']}/run", {"input": {}})["id"] for _ in range(times)]
    for run in runs:
        client.wait_for(f"/api/runs/{run}", lambda found: found["state"] != "running")
    return len(runs)


def _plan_workflows(client: Client) -> int:
    schedules = (
        {"cron": "0 8 * * MON-FRI", "timezone": "Europe/Amsterdam"},
        {"every_seconds": 6 * 3600, "missed": "none", "enabled": False},
    )
    for fields in schedules:
        client.post("/api/schedules", {"workflow_slug": "find-unread", **fields})
    return len(schedules)


def _build_graph(client: Client) -> int:
    run = client.post("/api/kg/extract")
    client.wait_for(f"/api/runs/{run['id']}", lambda found: found["state"] != "running")
    return len(client.get("/api/kg/entities?limit=200")["items"])


def _translate(translator: Client, operator: Client) -> int:
    operator.post("/api/l10n/import", {"locale": "nl"})
    found = operator.get("/api/l10n/messages?locale=nl&limit=5")["items"]
    for message in found:
        operator.put(f"/api/l10n/messages/{message['id']}", {"text": message["text"] or message["source"]})
    return len(found)


_FORM = {
    "fields": [
        {"name": "email", "type": "email", "label": "E-mail", "required": True},
        {"name": "reason", "type": "text", "label": "What would you ship?"},
    ],
    "copy": {
        "en": {
            "title": "A berth for everybody",
            "subtitle": "",
            "submit": "Join",
            "thanks": "We write to you.",
        }
    },
}
_SIGN_UPS = (
    ("mila@example.com", "Timber from Riga, every second week."),
    ("noor@example.com", "Just looking."),
    ("omar@example.com", "Machines, twice a year."),
)


def _sign_up(stranger: Client, admin: Client, owner: Client) -> int:
    company = owner.get("/api/whoami")["org"]["id"]
    owner.patch(f"/api/orgs/{company}", {"domain": _DOMAIN})
    admin.put("/api/beta/experience", _FORM)
    admin.post("/api/beta/experience/publish")
    for number, (email, reason) in enumerate(_SIGN_UPS, 1):
        at = f"2001:db8:{number}::1"
        challenge = stranger.get("/api/beta/challenge", X_Forwarded_For=at)
        body = {"fields": {"email": email, "reason": reason}, "challenge": _solved(challenge)}
        stranger.post("/api/beta/signup", body, Host=_DOMAIN, X_Forwarded_For=at)
    return len(_SIGN_UPS)


def _solved(challenge: Mapping[str, Any]) -> dict[str, Any]:
    """Does the work that a browser does before it signs somebody up."""
    shift = 256 - challenge["difficulty"]
    for number in count():
        digest = hashlib.sha256(f"{challenge['nonce']}:{number}".encode()).digest()
        if not int.from_bytes(digest, "big") >> shift:
            return {**challenge, "solution": str(number)}
    raise AssertionError("there is always another number")


def _talk(client: Client) -> int:
    prompts = ("When is high water?", "Who leases berth 7?", "Write a line to Jonas.")
    for prompt in prompts:
        client.post("/api/ai/chat", {"prompt": prompt})
    return len(prompts)
