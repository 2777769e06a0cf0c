"""Whoever uses a word that is on its way out is named."""

import types
import warnings

import pytest

from guildhall_sdk import public
from guildhall_sdk.public import PluginDeprecation

OLD = """
def old_name():
    deprecated("old_name", instead="new_name", gone_in=2)
    return "still works"
"""


@pytest.fixture
def old_name(monkeypatch):
    monkeypatch.setattr(public, "_warned", set())
    sdk = types.ModuleType("guildhall_sdk.something")
    sdk.deprecated = public.deprecated
    exec(OLD, sdk.__dict__)
    return sdk.old_name


def called_by(module, old_name):
    plugin = types.ModuleType(module)
    plugin.old_name = old_name
    exec("def use():\n    return old_name()\n", plugin.__dict__)
    return plugin.use


@pytest.mark.parametrize(
    ("module", "plugin"),
    [
        ("guildhall_directory_plugins.shelf", "shelf"),
        ("guildhall_directory_plugins.shelf.books", "shelf"),
        ("builtin_plugins.notes.handlers", "notes"),
        ("acme_plugin.rows", "acme_plugin"),
    ],
)
def test_the_plugin_is_named_once_in_the_log_and_each_time_to_its_tests(old_name, caplog, module, plugin):
    use = called_by(module, old_name)
    for _ in range(2):
        with pytest.warns(PluginDeprecation, match=f"the plugin {plugin} uses old_name.*use new_name"):
            assert use() == "still works"
    (record,) = [one for one in caplog.records if one.msg == "plugin.deprecated"]
    fields = {"plugin": plugin, "word": "old_name", "instead": "new_name", "gone_in": 2}
    assert {name: record.fields[name] for name in fields} == fields


def test_its_tests_can_make_it_a_failure(old_name):
    with warnings.catch_warnings():
        warnings.simplefilter("error", PluginDeprecation)
        with pytest.raises(PluginDeprecation):
            called_by("shelf", old_name)()
