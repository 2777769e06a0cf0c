"""Whatever people, machines and imports do, in any order: coverage adds up, and human work stands."""

import random
from collections import Counter

import pytest

from builtin_plugins.l10n.messages.tests.test_export import draft

STATUSES = ("approved", "machine", "submitted", "returned", "missing", "stale")
KEYS = [f"demo.k{number}" for number in range(6)]
STEPS = 25


class Sequence:
    """Random operations on a few messages, and what is known of them: the last text that a person wrote."""

    def __init__(self, bureau, seed):
        self._bureau = bureau
        self._random = random.Random(seed)
        self._sources = {}
        self._written = {}
        self._number = 0
        self.done = Counter()

    async def step(self):
        acts = (self._import, self._import, self._submit, self._submit, self._review, self._draft)
        act = self._random.choice((*acts, self._discard, self._export))
        self.done[act.__name__] += 1
        await act()
        await self._check()

    def _text(self):
        self._number += 1
        return f"text {self._number}"

    def _some(self, keys):
        return [key for key in keys if self._random.random() < 0.6]

    async def _import(self):
        self._sources = {key: self._random.choice("AB") for key in self._some(KEYS)}
        self._bureau.put_file("en", {"demo.always": "Always", **self._sources})
        self._bureau.put_file("fy", {key: self._random.choice("XY") for key in self._some(KEYS)})
        await self._bureau.import_all(locale="fy")

    async def _any(self):
        found = await self._bureau.messages("fy")
        return self._random.choice([*found.values()]) if found else None

    async def _submit(self):
        if message := await self._any():
            text = self._text()
            assert (await self._bureau.submit(message, text))[0] == 200
            self._written[message["key"]] = text

    async def _review(self):
        if message := await self._any():
            status, _ = await self._bureau.review(message, self._random.choice(("approve", "return")))
            assert status == (200 if message["status"] in ("submitted", "machine") else 409)
            if status == 200:  # somebody has decided on the text: it is a person's work now
                self._written[message["key"]] = message["text"]

    async def _draft(self):
        message = await self._any()
        if message and message["status"] == "missing":
            await draft(self._bureau, message, self._text())

    async def _discard(self):
        await self._bureau.localizer.call("POST", "/api/l10n/discard", {"locale": "fy"})

    async def _export(self):
        await self._bureau.localizer.call("POST", "/api/l10n/export", {"locale": "fy"})

    async def _check(self):
        coverage = await self._bureau.coverage("fy")
        if coverage is None:
            return
        assert coverage["total"] == sum(coverage[status] for status in STATUSES)
        found = await self._bureau.messages("fy")
        assert {*found} == {"demo.always", *self._sources}
        others = {key: text for key, text in self._written.items() if key in found}
        assert {key: found[key]["text"] for key in others} == others
        counted = Counter(item["status"] for item in found.values())
        for status in STATUSES:
            assert {*await self._bureau.messages("fy", status=status)} == {
                key for key, item in found.items() if item["status"] == status
            }
            assert coverage[status] >= counted[status]
        for item in found.values():
            assert (item["text"] is None) == (item["status"] == "missing")
            assert (item["status"] == "approved") <= (item["approved_text"] == item["text"])
            assert (item["status"] == "stale") <= (item["previous_source"] is not None)


@pytest.mark.short_on("sqlite")
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long_form)])
async def test_coverage_adds_up_and_no_human_work_is_replaced(bureau, seed):
    sequence = Sequence(bureau, seed)
    for _ in range(STEPS):
        await sequence.step()
    assert len(sequence.done) == 6
