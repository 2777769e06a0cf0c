"""What a closed process cannot do: each attempt gets through outside and is refused inside."""

import pytest

from libs.sandbox import measure

REFUSED = {"EPERM", "EACCES", "ENOSYS"}
# Containers and careful kernels refuse these to everybody; a privileged user gets through.
MAY_BE_REFUSED_OUTSIDE = {
    *("packet", "vsock", "io_uring", "io_uring in use", "io_uring with more"),
    *("watch all", "open a handle", "mount", "open a tree", "open a file system", "change a mount"),
    *("compare", "trace", "advise another", "read another's", "write another's", "userfaultfd", "bpf"),
    *("perf", "keys", "add a key", "poison a page", "signal by pidfd", "take by pidfd", "named queue"),
    *("clone3", "enter a namespace", "personality", "new namespace", "new namespace by clone", "handle"),
}


@pytest.fixture(scope="module")
def outside():
    return measure.attempt_everything(confined=False)


@pytest.fixture(scope="module")
def inside():
    return measure.attempt_everything(confined=True)


@pytest.mark.parametrize("area", ["network", "files", "signals", "processes", "memory"])
def test_what_gets_through_outside_is_refused_inside(outside, inside, area):
    assert outside[area].keys() == inside[area].keys()
    through = {name for name, outcome in outside[area].items() if outcome not in REFUSED}
    assert outside[area].keys() - through <= MAY_BE_REFUSED_OUTSIDE
    assert {name: outcome for name, outcome in inside[area].items() if outcome not in REFUSED} == {}


def test_only_the_newer_clone_is_hidden_so_that_libraries_ask_for_the_older(inside):
    hidden = [name for area in inside.values() for name, outcome in area.items() if outcome == "ENOSYS"]
    assert hidden == ["clone3"]


def test_the_tier_is_what_was_measured(outside, inside):
    assert measure.measured_from(outside) == measure.Measured()
    assert (measure.measured_from(inside).tier, measure.measured_from(outside).tier) == ("B", "C")
    assert measure.measured_from(inside).describe().startswith("tier B")


@pytest.mark.parametrize("area", ["network", "files", "signals", "processes", "memory"])
def test_one_attempt_that_gets_through_is_an_open_area(inside, area):
    """Also one that fails for another reason than a refusal: on a better day it may not."""
    for outcome in ("done", "EMFILE", "ECONNREFUSED", "ModuleNotFoundError"):
        name = next(iter(inside[area]))
        found = measure.measured_from({**inside, area: {**inside[area], name: outcome}})
        assert (found.tier, getattr(found, area)) == ("C", False)
        assert found.describe() == f"tier C (open: {area})"


def test_an_area_without_attempts_is_open(inside):
    assert measure.measured_from({**inside, "files": {}}).tier == measure.measured_from({}).tier == "C"


async def test_a_probe_that_cannot_run_is_tried_again(monkeypatch):
    monkeypatch.setattr(measure, "_known", None)
    with monkeypatch.context() as broken:
        broken.setattr(measure, "confined_command", lambda *_: ("/no/such/program",))
        assert (await measure.measured()).tier == "C"
    assert (await measure.measured()).tier == "B"


async def test_the_probe_runs_once(monkeypatch):
    first = await measure.measured()
    monkeypatch.setattr(measure, "attempt_everything", None)
    assert await measure.measured() is first
