"""Which of the program's own plugins stop the boot when they are broken, and which are put in quarantine."""

from functools import cache

import pytest

import builtin_plugins
from guildhall_testing.admissions import Admissions
from kernel.faults import BootRefused
from kernel.plugins import discovery
from kernel.plugins.admission import Admission, admit

BUILTINS = [candidate.id for candidate in discovery.discover(()) if candidate.source == "builtin"]
OTHERS = sorted(set(BUILTINS) - builtin_plugins.ESSENTIAL)
# Of the others these stand for all: others stand on some of them, and none on the rest.
_SHORT = {*builtin_plugins.ESSENTIAL, "notes", "oidc", "sign-in", "workflows"}
EACH = [one if one in _SHORT else pytest.param(one, marks=pytest.mark.long_form) for one in BUILTINS]


@pytest.fixture
def break_at_import(monkeypatch):
    """`break_at_import("notes")`: from now on importing these fails."""

    def break_them(*ids):
        load = discovery._load_entry_point

        def broken(entry):
            if entry.name in ids:
                raise SyntaxError("invalid syntax")
            return load(entry)

        monkeypatch.setattr(discovery, "_load_entry_point", broken)
        monkeypatch.setattr(Admissions, "of", lambda _, settings, more: admit(settings, more))

    return break_them


def admitted():
    return Admission(discovery.discover([]))


@cache
def needs():
    """What each plugin requires."""
    return {one.plugin.id: one.plugin.requires for one in admitted().registry.plugins}


def standing_on(plugin_id):
    """The plugin, and those that cannot be without it."""
    gone = {plugin_id}
    while more := {name for name, required in needs().items() if gone & set(required)} - gone:
        gone |= more
    return gone


def test_the_list_is_the_decided_one_and_the_manifests_say_the_same():
    decided = {"admin", "companies", "console", "identity", "jobs", "quotas", "repo", "search"}
    decided |= {"audit", "blobs", "files", "metrics", "operations", "preferences", "processes", "tools"}
    assert decided == builtin_plugins.ESSENTIAL
    loaded = [one for one in admitted().registry.plugins if one.source == "builtin"]
    assert {one.id for one in loaded if one.plugin.essential} == decided & set(BUILTINS)


@pytest.mark.parametrize("plugin_id", EACH)
def test_a_builtin_that_cannot_be_imported(break_at_import, plugin_id):
    gone = standing_on(plugin_id)  # before it is broken
    break_at_import(plugin_id)
    if plugin_id in builtin_plugins.ESSENTIAL:
        with pytest.raises(BootRefused, match=f"the plugin {plugin_id} cannot be loaded"):
            admitted()
    else:
        registry = admitted().registry
        assert {one.id: one.status for one in registry.refused} == dict.fromkeys(gone, "quarantined")
        assert registry.plugin_ids() >= set(BUILTINS) - gone


@pytest.mark.parametrize("plugin_id", EACH)
def test_a_builtin_that_is_taken_out_before_serving(plugin_id):
    admission = admitted()
    if plugin_id in builtin_plugins.ESSENTIAL:
        with pytest.raises(BootRefused):
            admission.withdraw(plugin_id, "its migration failed")
    else:
        gone = standing_on(plugin_id)
        admission.withdraw(plugin_id, "its migration failed")
        assert {one.id for one in admission.registry.refused} == gone


@pytest.mark.hall_databases("sqlite")
async def test_a_server_without_any_that_it_can_be_without_answers(break_at_import, open_with, folder):
    others = set(OTHERS) - {"sqlite"}  # by which it opens its database
    break_at_import(*others)
    async with open_with() as hall:
        listed = (await hall.operator.get("/api/plugins")).json()["items"]
        assert {one["id"] for one in listed if one["status"] == "quarantined"} == others
        assert (await hall.acme.member.get("/api/whoami")).status_code == 200
        assert (await hall.acme.member.get("/api/notes")).status_code == 404
        assert (await hall.acme.member.get("/api/search?q=x")).status_code == 200
        opened = await hall.anonymous.get("/")
        assert opened.status_code == 200 and "l10n</code>, which has them, is not loaded" in opened.text
        assert "--light-bg: #" in (await hall.anonymous.get("/theme.css")).text


@pytest.mark.parametrize("in_use", ["sqlite", "postgresql"])
def test_the_engine_that_opens_the_database_is_one_of_them(in_use):
    """Whichever it is: a fault in the other is in nobody's way."""
    admission = admitted()
    admission.registry.make_essential(admission.registry.engines()[in_use])
    with pytest.raises(
        BootRefused, match=f"the plugin {in_use} cannot be loaded and the server needs it: gone"
    ):
        admission.withdraw(in_use, "gone")
    other = ({"sqlite", "postgresql"} - {in_use}).pop()
    admission.withdraw(other, "gone")
    assert {one.id for one in admission.registry.refused} == {other}
