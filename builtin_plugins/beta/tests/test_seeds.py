"""What is shown until somebody publishes: the operator's, else a plugin's, else our own."""

import json
import re
from types import SimpleNamespace

import pytest

from builtin_plugins.beta.experiences.seeds import seed_file
from guildhall_sdk import Plugin, hookimpl
from guildhall_sdk.errors import OperatorError
from guildhall_sdk.services.pages import Experience
from guildhall_testing.hall import PluginRefused

pytestmark = pytest.mark.any_database

DOCUMENT = {
    "fields": [{"name": "email", "type": "email", "label": "E-mail"}],
    "copy": {"en": {"title": "From a file"}},
    "judge_prompt": "canary-judge-prompt",
}


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "experience.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    return write


async def title(hall):
    return (await hall.anonymous.get("/api/beta/config?locale=en")).json()["copy"]["title"]


async def test_the_operators_file_comes_before_a_plugins_and_what_is_published_before_both(
    open_hall, file, publish
):
    async with open_hall(SERVICE_BETA_EXPERIENCE=file(DOCUMENT)) as hall:
        assert await title(hall) == "From a file"
        draft = (await hall.operator.get("/api/beta/experience")).json()
        assert (draft["version"], draft["judge_prompt"]) == (0, "canary-judge-prompt")
        assert "canary" not in (await hall.anonymous.get("/api/beta/config")).text
        await publish(hall.operator, copy={"en": {"title": "Published"}})
        assert await title(hall) == "Published"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "is no experience"),
        (b"\xff\xfe", "is no experience"),
        ([], "must be an object"),
        ({**DOCUMENT, "fields": []}, "/fields: takes 1 to 30 fields"),
        ({**DOCUMENT, "theme": {"text": "#ffffff"}}, "text: stands at"),
        ({**DOCUMENT, "template": "{{{title}}}"}, "/template: Line 1"),
        ({**DOCUMENT, "assets": {"logo": "ast_00000000000000000000000000"}}, "/assets/logo"),
        (b" " * (512 * 1024 + 1), "more than 512 KiB"),
    ],
)
def test_a_broken_file_is_refused_in_one_line_that_says_what_is_wrong(file, content, words):
    with pytest.raises(ValueError) as refused:
        seed_file(file(content))
    line = str(refused.value)
    assert words in line and "\n" not in line and "canary" not in line


def test_a_file_that_is_not_there_or_is_a_folder_is_named(tmp_path):
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(ValueError, match=f"{path} cannot be read"):
            seed_file(str(path))


async def test_a_broken_file_stops_the_boot(open_hall, file):
    path = file({**DOCUMENT, "fields": []})
    line = f"SERVICE_BETA_EXPERIENCE: {path} is no experience: /fields: takes 1 to 30 fields"
    with pytest.raises(OperatorError, match=f"^{re.escape(line)}$"):
        async with open_hall(SERVICE_BETA_EXPERIENCE=path):
            pass


def contributing(document):
    @hookimpl
    def declare_experiences():
        return [Experience(document=document)]

    plugin = Plugin(id="our-beta", name="Ours", version="1.0.0", description="", requires=("beta",))
    return SimpleNamespace(PLUGIN=plugin, declare_experiences=declare_experiences)


async def test_a_plugin_that_ships_a_broken_experience_is_kept_out(open_hall):
    wrong = {**DOCUMENT, "theme": {"text": "#ffffff"}}
    with pytest.raises(PluginRefused, match=r"our-beta is quarantined.*/theme/text stands at"):
        async with open_hall(contributing(wrong)):
            pass


async def test_installing_a_plugin_does_not_change_the_public_page(open_hall):
    async with open_hall(contributing(DOCUMENT)) as hall:
        shipped = dict(hall.server.registry.owned(Experience))["beta-onboarding"]
        assert await title(hall) == shipped.document["copy"]["en"]["title"]
    async with open_hall(contributing(DOCUMENT), SERVICE_PLUGINS_BLOCKED="beta-onboarding") as hall:
        assert await title(hall) == "Join the beta"


async def test_what_a_plugin_offers_is_shown_once_it_is_published(open_hall):
    async with open_hall(contributing(DOCUMENT)) as hall:
        operator = hall.operator
        draft = (await operator.get("/api/beta/experience")).json()
        assert (draft["version"], draft["offers"]) == (0, ["beta-onboarding", "our-beta"])
        saved = await operator.post("/api/beta/experience/restore", {"plugin": "our-beta"})
        assert (saved.status_code, saved.json()["copy"]) == (200, DOCUMENT["copy"])
        before = await title(hall)
        assert before != DOCUMENT["copy"]["en"]["title"], "a draft is nobody's page yet"
        await operator.post("/api/beta/experience/publish", {})
        assert await title(hall) == DOCUMENT["copy"]["en"]["title"]
        events = (await operator.get("/api/audit")).json()["items"]
        told = {event["action"]: event["detail"] for event in events}
        assert told["experience.saved"] == {"version": 1, "plugin": "our-beta"}
        assert told["experience.published"]["version"] == 1


async def test_only_what_is_offered_or_was_published_becomes_the_draft(open_hall):
    async with open_hall(contributing(DOCUMENT)) as hall:
        owner, restore = hall.acme.owner, "/api/beta/experience/restore"
        assert (await owner.post(restore, {"plugin": "notes"})).status_code == 404
        assert (await owner.post(restore, {})).status_code == 400
        assert (await owner.post(restore, {"plugin": "our-beta", "version": 1})).status_code == 400
