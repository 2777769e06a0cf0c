"""The screens that plugins bring by `declare_screens`: what is refused, and which are shown to whom."""

import pytest

from builtin_plugins.console.screens import screen_fault
from guildhall_sdk import Permission, Plugin, hookimpl
from guildhall_sdk.dimensions import Dimension
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.services.pages import Screen

pytestmark = pytest.mark.any_database

GUESTS = ("guests", "/guests", "Guests", "users", "work")


def fault_of(screen, *others):
    return screen_fault(screen, Declarer(id="book", routes=(), rows={Screen: (screen, *others)}))


def test_a_screen_of_its_own_module_is_taken():
    assert fault_of(Screen(*GUESTS)) is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Screen("Guests", *GUESTS[1:]), "name must be"),
        (Screen("guests", "guests", *GUESTS[2:]), "path must be like /guests"),
        (Screen("guests", "/guests/:id", *GUESTS[2:]), "path must be like /guests"),
        (Screen("guests", "/guests", " ", "users", "work"), "title must be a text"),
        (Screen("guests", "/guests", "Guests", "<svg>", "work"), "icon must be one of lucide's names"),
        (Screen("guests", "/guests", "Guests", "users", "plugins"), "group must be one of work, ai"),
        (Screen(*GUESTS, module="../secrets.js"), "module must be the path of a .js file in a folder"),
        (Screen(*GUESTS, module="index.js"), "module must be the path of a .js file in a folder"),
    ],
)
def test_what_is_wrong_with_a_screen_is_said_when_its_plugin_is_loaded(wrong, words):
    assert words in fault_of(wrong)


def test_two_screens_of_a_plugin_have_two_names():
    assert "two screens named guests" in fault_of(Screen(*GUESTS), Screen("guests", "/other", *GUESTS[2:]))


def by_path(answer, key="screens"):
    return {screen["path"]: screen for screen in answer[key]}


async def ui(client):
    status, answer = await client.call("GET", "/api/ui")
    assert status == 200
    return answer


@pytest.mark.shared_server
async def test_screens_say_where_they_are_and_what_they_open(hall):
    answer = await ui(hall.acme.owner)
    notes = by_path(answer)["/notes"]
    assert notes == {
        "plugin": "notes",
        "name": "notes",
        "path": "/notes",
        "title": "nav.notes",
        "icon": "notebook-pen",
        "group": "work",
        "order": 10,
        "permission": "notes:read",
        "feature": None,
        "opens": ["note"],
    }
    orders = [screen["order"] for screen in answer["screens"]]
    assert orders == sorted(orders)


async def test_what_others_say_of_their_permissions_and_dimensions_comes_along(open_hall):
    class Shelf:
        PLUGIN = Plugin("shelf", "Shelf", "1.0", "A shelf.")
        declare_permissions = staticmethod(
            hookimpl(lambda: [Permission(name="shelf:sort", description="Sort the shelf")])
        )
        declare_dimensions = staticmethod(hookimpl(lambda: [Dimension("shelf.sortings", "Sortings", "rate")]))

    async with open_hall(Shelf) as hall:
        assert (await ui(hall.acme.viewer))["words"] == {
            "permissions": {"shelf:sort": "Sort the shelf"},
            "dimensions": {"shelf.sortings": "Sortings"},
        }


@pytest.mark.shared_server
async def test_what_a_permission_closes_is_named_for_who_comes_by_its_address(hall):
    answer = await ui(hall.acme.viewer)
    assert "/chat" not in by_path(answer)
    assert by_path(answer, "closed")["/chat"] | {"title": ""} == {
        "plugin": "conversations",
        "name": "chat",
        "path": "/chat",
        "title": "",
        "needs": "permission",
        "what": "chat:use",
    }
    # What there is of the instance is for its operators to know.
    assert not [path for path in (*by_path(answer), *by_path(answer, "closed")) if path.startswith("/inst")]
    assert "/instance/plugins" in by_path(await ui(hall.operator))


@pytest.mark.shared_server
async def test_what_a_team_turns_off_leaves_no_trace(hall):
    for kind, name, needs in (("features", "workflows", "feature"), ("plugins", "notes", "plugin")):
        status, _ = await hall.acme.owner.call("POST", f"/api/{kind}/{name}", {"enabled": False})
        assert status == 200
        answer = await ui(hall.acme.owner)
        assert f"/{name}" not in by_path(answer)
        assert by_path(answer, "closed")[f"/{name}"]["needs"] == needs
    assert "/notes" in by_path(await ui(hall.globex.owner))


@pytest.mark.shared_server
async def test_nothing_but_files_of_screens_is_served_below_ui(hall):
    for path in ("/ui/notes/none/index.js", "/ui/notes/none/../__init__.py", "/ui/nobody/none/index.js"):
        assert (await hall.anonymous.get(path)).status_code == 404
