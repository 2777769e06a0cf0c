"""A plugin that was written for the SDK of before stays out, and is told what to write instead."""

from importlib import import_module
from pathlib import Path

import pytest

from guildhall_sdk.public import GONE
from kernel.plugins.reasons import words_to_change
from libs.modules import modules_of

#: Each public module of the SDK before plugins brought hooks for others, with its public names.
NAMES_OF_BEFORE = {
    module: names.split()
    for module, names in (
        line.split(": ")
        for line in Path(__file__).with_name("sdk_of_before.txt").read_text("utf-8").splitlines()
    )
}

OF_BEFORE = """
from guildhall_sdk import Accepts, ExtensionRoute, hookimpl
from guildhall_sdk.services import Plugins
from guildhall_sdk.workflows import Workflow

def found(host):
    return host.service(Plugins).contributed(Workflow)

@hookimpl
def declare_accepts():
    return [Accepts(type=Workflow, label="workflow")]

@hookimpl
def declare_contributions():
    return []

@hookimpl
def declare_extension_routes():
    return [ExtensionRoute("GET", "/box", "search", found, "A box")]
"""


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("imports", [True, False])
async def test_a_plugin_for_the_sdk_of_before_is_told_each_word_to_change(folder, open_with, imports):
    text = OF_BEFORE if imports else OF_BEFORE.replace("Accepts, ", "").replace("[Accepts", "[dict")
    text = text if imports else text.replace("ExtensionRoute, ", "").replace("[ExtensionRoute", "[dict")
    (folder.write("old") / "plugin.py").write_text(text)
    async with open_with() as hall:
        (old,) = [one.reason for one in hall.registry.refused if one.id == "old"]
    assert "declare_accepts is gone: return a hookspec class from declare_hooks" in old
    assert "declare_contributions is gone: implement the hook of each type" in old
    assert "contributed is gone: ask Plugins.owned" in old
    assert "declare_extension_routes is gone: return those rows, with paths that have no leading /" in old
    assert ("Accepts is gone: say by" in old) == imports
    assert ("ExtensionRoute is gone: write Route(method, path, handler, doc, permission=…)" in old) == imports


#: A line of a plugin of before, and what its author is told.
GONE_LINES = [
    (
        "from guildhall_sdk.mustache import render",
        "guildhall_sdk.mustache is gone: ask the service Templates",
    ),
    ("from guildhall_sdk.jobs import running_run", "running_run is gone: take running_job.get().run_id"),
    ("from guildhall_sdk import BlobStore", "BlobStore is in guildhall_sdk.blobs"),
    ("from guildhall_sdk.services import Quotas", "Quotas is in guildhall_sdk.dimensions"),
    ("from guildhall_sdk.events import event_stream", "event_stream is in guildhall_sdk.replies"),
    ("from guildhall_sdk.services.events import Events", "Events is in guildhall_sdk.subscriptions"),
    ("from guildhall_sdk.pages import Pages", "Pages is in guildhall_sdk.routes"),
    (
        "from guildhall_sdk.request_body import RequestBody",
        "guildhall_sdk.request_body is gone: say by too_large and too_slow of your ProtocolAdapter",
    ),
    (
        "from guildhall_sdk.services.quotas import metered",
        "guildhall_sdk.services.quotas.metered is gone: write host.service(Quotas).metered",
    ),
    ("from guildhall_sdk import TENANT", "TENANT is in guildhall_sdk.data"),
    ("from guildhall_sdk.redaction import redact", "guildhall_sdk.redaction is gone: it was for"),
    (
        "from guildhall_sdk.settings import secret_text",
        "guildhall_sdk.settings.secret_text is gone: take guildhall_sdk.settings.text on a Setting",
    ),
    (
        "from guildhall_sdk.principal import check_grantable",
        "guildhall_sdk.principal.check_grantable is gone: write host.service(Roles).check_grantable",
    ),
    (
        "from guildhall_sdk.tools import ToolHooks",
        "guildhall_sdk.tools.ToolHooks is gone: implement declare_tools and declare_tool_sources",
    ),
    (
        "from guildhall_sdk.metrics import METRIC_KINDS",
        "guildhall_sdk.metrics.METRIC_KINDS is gone: take typing.get_args(guildhall_sdk.metrics",
    ),
    (
        "from guildhall_sdk.retention import Retained\nRetained(throw_away=None)",
        "throw_away is gone: give a Retained delete_expired",
    ),
    ("from guildhall_sdk import RequestContext", "RequestContext is gone: take guildhall_sdk.Call"),
    ("from guildhall_sdk import ExtensionCall", "ExtensionCall is gone: take guildhall_sdk.Call"),
    (
        "from guildhall_sdk.services.retrieval import Retrieval",
        "Retrieval is in guildhall_sdk.services.search",
    ),
    (
        "from guildhall_sdk.services.localization import LocaleName\nLocaleName('nl', 'N', 'ltr').public()",
        "LocaleName.public is gone: take dataclasses.asdict",
    ),
    (
        "from guildhall_sdk import hookspec\nhookspec(check=None)",
        "hookspec.check is gone: give how rows are checked by guildhall_sdk.hooks.checked",
    ),
    (
        "from dataclasses import replace\nfrom guildhall_sdk.blobs import Blob\nreplace(Blob('', 0), size=1)",
        "NamedTuple.replace is gone: write it._replace(…)",
    ),
    (
        "from guildhall_sdk.services.models import ExecutorSource, Executor\n"
        "def bound(executor: Executor): return executor.binding",
        "Executor.binding is gone: write JobBinding(",
    ),
]


@pytest.mark.hall_databases("sqlite")
async def test_a_module_or_name_that_is_gone_is_told_with_what_took_its_place(folder, open_with):
    told = {f"old{number}": instead for number, (_, instead) in enumerate(GONE_LINES)}
    for name, (line, _) in zip(told, GONE_LINES, strict=True):
        (folder.write(name) / "plugin.py").write_text(f"{line}\n")
    async with open_with() as hall:
        reasons = {one.id: one.reason for one in hall.registry.refused}
    for name, instead in told.items():
        assert instead in reasons[name]


@pytest.mark.parametrize("module", NAMES_OF_BEFORE)
def test_each_name_of_the_sdk_of_before_is_there_or_named_with_what_took_its_place(tmp_path, module):
    """So that no author is left alone with an `ImportError`."""
    source = tmp_path / "old.py"
    here = import_module(module) if module in modules_of("guildhall_sdk") else None
    for name in (one for one in NAMES_OF_BEFORE[module] if not hasattr(here, one)):
        source.write_text(f"from {module} import {name}\n")
        reasons = words_to_change(str(source)).split("; ")
        named = [f"{word} is gone: " for word in (name, module, f"{module}.{name}")]
        parents = [f"{word} is gone: " for word in GONE if module.startswith(f"{word}.")]
        assert any(one.startswith((*named, *parents, f"{name} is in ")) for one in reasons), (module, name)


@pytest.mark.parametrize("word", [word for word in GONE if word[0].isupper() and "." in word])
def test_no_attribute_that_is_there_is_said_to_be_gone(word):
    kind, attribute = word.split(".")
    holders = [import_module(module) for module in modules_of("guildhall_sdk")]
    kinds = {getattr(one, kind) for one in holders if hasattr(one, kind)}
    assert kinds
    assert not any(hasattr(one, attribute) or attribute in one.__annotations__ for one in kinds)
