"""The requests of the guide are answered as the guide says."""

import json
import re

import pytest

from tests.documented import ROOT, fits, requests_of

pytestmark = pytest.mark.any_database

PAGE = "docs/localization-manager.md"
FILE = re.compile(r"<!-- file: locales/(\S+)\.json -->\n```json\n(.*?)```", re.DOTALL)


async def test_what_the_guide_shows_is_what_is_answered(bureau):
    for locale, content in FILE.findall((ROOT / PAGE).read_text("utf-8")):
        bureau.put_file(locale, json.loads(content))
    examples = requests_of(PAGE)
    assert len(examples) == 5
    callers = {"PUT": bureau.translator, "GET": bureau.translator}
    for method, path, body, shown in examples:
        if "msg_…" in path:
            found = await bureau.messages(ns="shop")
            path = path.replace("msg_…", found["shop.cart"]["id"])
        caller = callers.get(method, bureau.localizer)
        status, said = await caller.call(method, path, json.loads(body) if body else None)
        assert status == 200, said
        if shown:
            assert fits(said, json.loads(shown)), f"{method} {path}: {json.dumps(said, indent=2)}"
