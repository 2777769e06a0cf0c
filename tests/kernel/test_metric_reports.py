"""What the processes of a supervisor report to one another: no sum is wrong, and no counter falls."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildhall_sdk import Metric
from guildhall_sdk.metrics import Distribution
from kernel.metrics import reports as room
from kernel.metrics.reports import Place, Reports, add_up

pytestmark = pytest.mark.any_database

SPINS = Metric("toy_spins_total", "Spins", "counter", ("way",))
WAITS = Metric("toy_waits", "Waits", "histogram")
OPEN = Metric("toy_open", "Open", "gauge")
BOUNDS = (1, 5)


def waits(*values, bounds=BOUNDS):
    distribution = Distribution(bounds)
    for value in values:
        distribution.observe(value)
    return distribution


def plain(report):
    """The figures of a report: name to labels to value, a distribution as its counts and its sum."""
    return {
        metric.name: {
            labels: (one.counts, one.sum) if isinstance(one, Distribution) else one
            for labels, one in measured.items()
        }
        for metric, measured in report
    }


@pytest.fixture
def places():
    places = [Place() for _ in range(3)]
    yield places
    close(places)


def close(places):
    for place in places:
        for copy in place.copies:
            os.close(copy)


def reporting(places, number, *own):
    """The process at a place, after it has reported this."""
    reports = Reports(places, number)
    reports.own = own
    reports.write()
    return reports


# The sum


def test_counters_histograms_and_gauges_are_added_whoever_is_asked(places):
    processes = [
        reporting(
            places,
            number,
            (SPINS, {("left",): number + 1, (f"only {number}",): 0.5}),
            (WAITS, {(): waits(0.5, 3, 9 * number)}),
            (OPEN, {(): 2}),
        )
        for number in range(3)
    ]
    for process in processes:
        assert plain(process.total()) == {
            SPINS.name: {("left",): 6, ("only 0",): 0.5, ("only 1",): 0.5, ("only 2",): 0.5},
            WAITS.name: {(): ([4, 3, 2], 37.5)},
            OPEN.name: {(): 6},
        }


class Toy:
    """A process that counts."""

    def __init__(self, places, number):
        self.reports = Reports(places, number)
        self.left, self.values = 0, []

    def count(self):
        self.reports.own = [(SPINS, {("left",): self.left}), (WAITS, {(): waits(*self.values)})]


step = st.tuples(
    st.sampled_from(["count", "report", "look", "killed", "leaves"]), st.integers(0, 2), st.integers(0, 9)
)


@given(st.lists(step, max_size=40))
def test_every_sum_is_what_was_reported_and_what_the_one_who_is_asked_has_counted(steps):
    places = [Place() for _ in range(3)]
    try:
        toys = [Toy(places, number) for number in range(3)]
        known = [[] for _ in toys]  # every value that was reported at a place
        before = [[] for _ in toys]  # of them, those of processes that are gone
        for action, number, value in steps:
            toy = toys[number]
            if action == "count":
                toy.left += value
                toy.values.append(value)
                continue
            if action != "killed":
                toy.count()
                known[number] = [*before[number], *toy.values]
            if action == "report":
                toy.reports.write()
            elif action == "look":
                seen = [value for values in known for value in values]
                expected = waits(*seen)
                assert plain(toy.reports.total()) == {
                    SPINS.name: {("left",): sum(seen)},
                    WAITS.name: {(): (expected.counts, expected.sum)},
                }
            else:
                if action == "leaves":
                    toy.reports.leave()
                before[number] = known[number]
                toys[number] = Toy(places, number)
    finally:
        close(places)


def test_gauges_are_of_the_living_alone(places, monkeypatch):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    alive = reporting(places, 0, (OPEN, {(): 1}))
    leaving = reporting(places, 1, (OPEN, {(): 10}))
    with monkeypatch.context() as dead:
        dead.setattr(room.os, "getpid", lambda: gone.pid)
        reporting(places, 2, (OPEN, {(): 100}), (SPINS, {("left",): 7}))
    assert plain(alive.total()) == {OPEN.name: {(): 11}, SPINS.name: {("left",): 7}}
    leaving.leave()
    assert plain(alive.total()) == {OPEN.name: {(): 1}, SPINS.name: {("left",): 7}}
    replaced = reporting(places, 2)
    assert plain(replaced.total()) == {OPEN.name: {(): 1}, SPINS.name: {("left",): 7}}


def test_a_label_without_an_end_stops_growing_over_all(places, monkeypatch):
    monkeypatch.setattr(room, "MAX_SERIES", 3)
    processes = [
        reporting(places, number, (SPINS, {(f"{number} {one}",): 1 for one in range(2)}))
        for number in range(3)
    ]
    for process in processes:
        (sums,) = plain(process.total()).values()
        assert sums == {("0 0",): 1, ("0 1",): 1, ("1 0",): 1, ("other",): 3}


OLD = [
    (Metric(WAITS.name, "Waits", "histogram"), {(): waits(2, bounds=(2, 3))}),
    (Metric(WAITS.name, "Waits", "gauge"), {(): 5}),
    (Metric(WAITS.name, "Waits", "histogram", ("way",)), {("left",): waits(2)}),
]


@pytest.mark.parametrize("old", OLD)
def test_what_a_plugin_measured_otherwise_before_it_was_changed_is_not_mixed_in(places, old):
    reporting(places, 1, old)
    assert plain(reporting(places, 0, (WAITS, {(): waits(2)})).total()) == {WAITS.name: {(): ([0, 1, 0], 2)}}
    assert plain(reporting(places, 1, (WAITS, {(): waits(3)})).total()) == {WAITS.name: {(): ([0, 2, 0], 5)}}


def test_a_metric_that_only_others_have_is_told_too(places):
    reporting(places, 1, (SPINS, {("left",): 2}))
    ((metric, _),) = Reports(places, 0).total()
    assert (metric.name, metric.help, metric.kind, metric.labels) == (SPINS.name, "Spins", "counter", ["way"])


def test_a_sum_stays_a_number():
    most = [(SPINS, {("left",): sys.float_info.max})]
    assert plain(add_up([most, most])) == {SPINS.name: {("left",): sys.float_info.max}}


# What stands in the memory


def spins(places, number):
    return reporting(places, number, (SPINS, {("left",): 1}))


@pytest.mark.parametrize("torn", [b"", b"\0" * 20, b"\xff" * 20, b"\xff" * 5000])
def test_a_process_that_dies_while_it_reports_leaves_its_report_before(places, torn):
    dying, alive = spins(places, 0), Reports(places, 1)
    for count in range(2, 5):
        dying.own = [(SPINS, {("left",): count})]
        dying.write()
        last, _ = places[0].read()
        older = places[0].copies[(last + 1) % 2]
        os.ftruncate(older, 30)
        os.pwrite(older, torn, 0)
        assert plain(alive.total()) == {SPINS.name: {("left",): count}}
    assert plain(spins(places, 0).total()) == {SPINS.name: {("left",): 5}}


def test_what_nobody_can_read_is_no_error(places):
    spins(places, 0)
    for copy in places[0].copies:
        os.ftruncate(copy, 0)
        os.pwrite(copy, b"\xff" * 100, 0)
    assert plain(spins(places, 1).total()) == {SPINS.name: {("left",): 1}}
    assert plain(spins(places, 0).total()) == {SPINS.name: {("left",): 2}}


def test_a_report_without_room_is_written_as_soon_as_there_is(places, monkeypatch):
    process, other = spins(places, 0), Reports(places, 1)

    def full(*_):
        raise OSError(28, "No space left on device")

    process.own = [(SPINS, {("left",): 2})]
    with monkeypatch.context() as crowded:
        for cut in (full, lambda *_: 3):
            crowded.setattr(room.os, "pwrite", cut)
            assert plain(process.total()) == {SPINS.name: {("left",): 2}}
            assert plain(other.total()) == {SPINS.name: {("left",): 1}}
    process.write()
    assert plain(other.total()) == {SPINS.name: {("left",): 2}}


def test_a_report_is_written_when_it_has_changed(places):
    process, numbers = spins(places, 0), []
    for count in (1, 1, 2, 2):
        process.own = [(SPINS, {("left",): count})]
        process.write()
        numbers.append(places[0].read()[0])
    assert numbers == [1, 1, 2, 2]
