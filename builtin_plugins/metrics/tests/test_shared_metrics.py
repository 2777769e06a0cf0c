"""Which metrics are added up over the processes of a supervisor, and which every process tells alike."""

import asyncio
import math
import os
import sys
from decimal import Decimal
from fractions import Fraction

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from builtin_plugins.admin.metrics import OPENMETRICS, exposed
from builtin_plugins.metrics import metric_fault
from builtin_plugins.metrics import shared as room
from builtin_plugins.metrics.reports import Reports
from builtin_plugins.metrics.server import metrics_of_kernel
from builtin_plugins.metrics.shared import SharedMeasurements
from guildhall_sdk import Metric, Statement
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.metrics import Distribution, Metrics, measured_by
from libs.memory_slots import MemorySlot

pytestmark = pytest.mark.any_database

TOY = Declarer(id="toy", routes=(), rows={})
THREE = Statement("toy", "SELECT 3", "SELECT 3")


@pytest.fixture
def places():
    places = [MemorySlot(), MemorySlot()]
    yield places
    for place in places:
        for copy in place.copies:
            os.close(copy)


async def processes(hall, places):
    """Two of them, which find the same in memory; both have reported."""
    found = [SharedMeasurements(hall.server.host, Reports(places, number)) for number in range(2)]
    for process in found:
        await process.collect()
    return found


async def told(process):
    """What the toy's metrics are by one of the processes, those without labels."""
    families = await process.collect()
    names = [family.name for family in families]
    assert len(names) == len(set(names)) and "guildhall_notes" in names
    return {
        family.name: family.samples[0].value
        for family in families
        if family.name.startswith("toy_") and family.samples
    }


async def seven(host, reader):
    return {(): 7}


async def spread(host, reader):
    distribution = Distribution()
    distribution.observe(1)
    return {(): distribution}


async def read(host, reader):
    return {(): await reader.value(THREE)}


async def read_all(host, reader):
    return {(): len(await reader.all(THREE)) and 3}


async def read_one(host, reader):
    return {(): 3 if await reader.one(THREE) else 0}


#: Each with what two processes tell of it.
SUMS = [
    (Metric("toy_sevens_total", "T", "counter", measure=seven), 14),
    (Metric("toy_waits", "T", "histogram", measure=spread), 2),
    (Metric("toy_boxes", "T", "gauge", measure=seven), 7),
    (Metric("toy_own_boxes", "T", "gauge", measure=seven, per_process=True), 14),
    (Metric("toy_common_total", "T", "counter", measure=seven, per_process=False), 7),
    (Metric("toy_measured_total", "T", "counter", measure=measured_by(THREE)), 3),
    (Metric("toy_sampled_total", "T", "counter", measure=seven, sampled=True), 7),
    (Metric("toy_read_total", "T", "counter", measure=read), 3),
    (Metric("toy_listed_total", "T", "counter", measure=read_all), 3),
    (Metric("toy_found_boxes", "T", "gauge", measure=read_one, per_process=True), 3),
]


@pytest.mark.every_database
async def test_what_is_of_a_process_is_added_up(open_hall, make_plugin, places):
    async with open_hall(make_plugin(metrics=[metric for metric, _ in SUMS])) as hall:
        for process in await processes(hall, places):
            assert await told(process) == {metric.name: value for metric, value in SUMS}
        alone = {family.name: family for family in await hall.server.service(Metrics).collect()}
        for metric, value in SUMS:
            expected = 1 if metric.kind == "histogram" else min(value, 7)
            assert alone[metric.name].samples[0].value == expected, metric.name


async def test_counters_that_are_added_to_are_added_up(open_hall, make_plugin, places):
    spins = Metric("toy_spins_total", "Spins", "counter")
    async with open_hall(make_plugin(metrics=[spins])) as hall:
        one, other = await processes(hall, places)
        one.counter(spins.name).add(by=2)
        other.counter(spins.name).add(by=3)
        assert await told(one) == {spins.name: 2}  # the other has not reported
        assert [await told(other), await told(one)] == [{spins.name: 5}] * 2


async def test_what_fails_is_as_it_was_so_that_no_sum_falls(open_hall, make_plugin, places, failures):
    broken = []

    async def measure(host, reader):
        if broken:
            raise RuntimeError("the toy is broken")
        return {(): 7}

    async with open_hall(make_plugin(metrics=[Metric("toy_total", "T", "counter", measure=measure)])) as hall:
        one, other = await processes(hall, places)
        broken.append(True)
        assert await told(one) == await told(other) == {"toy_total": 14}
        assert failures == [("metric.failed", "toy", "toy_total")] * 2


async def test_a_process_reports_by_itself_again_and_again_and_for_the_last_time(
    open_hall, make_plugin, places, failures, monkeypatch
):
    monkeypatch.setattr(room, "REPORT_SECONDS", 0.01)
    count, failing = {(): 1}, asyncio.Event()

    async def measure(host, reader):
        return count

    async def fail(host, reader):
        failing.set()
        raise RuntimeError("the toy is broken")

    metrics = [
        Metric("toy_total", "T", "counter", measure=measure),
        Metric("toy_open", "T", "gauge", measure=seven, per_process=True),
        Metric("toy_broken_total", "T", "counter", measure=fail),
    ]
    async with open_hall(make_plugin(metrics=metrics)) as hall:
        one, other = await processes(hall, places)
        failures.clear()
        one.start()
        count[()] = 5
        async with asyncio.timeout(60):
            looks = 1
            while (await told(other))["toy_total"] != 10:
                failing.clear()
                await failing.wait()
                looks += 1
        await one.stop()
        assert len(failures) == looks  # a report logs nothing
        count[()] = 100
        assert await told(other) == {"toy_total": 105, "toy_open": 7}


def spread_over(total):
    distribution = Distribution((Decimal("0.1"), 2))
    distribution.observe(1)
    distribution.sum = total
    return distribution


def measuring(kind, value, *labels, name=None):
    async def measure(host, reader):
        return {labels: value}

    name = name or {"counter": "toy_total", "gauge": "toy_boxes", "histogram": "toy_waits"}[kind]
    return Metric(name, "T", kind, ("way",) * len(labels), measure=measure, per_process=True)


LARGEST = sys.float_info.max
MARKS = '"\\\n\r\0{},=# \u2028'
#: Each with its labels, its value and its sum.
ODD = [
    (measuring("counter", Decimal("1.5"), name="toy_decimals_total"), {}, 3, None),
    (measuring("counter", Fraction(1, 4), name="toy_fractions_total"), {}, 0.5, None),
    (measuring("gauge", -LARGEST), {}, -LARGEST, None),
    (measuring("histogram", spread_over(Decimal(3))), {}, 2, 6),
    (measuring("histogram", spread_over(LARGEST), name="toy_long_waits"), {}, 2, LARGEST),
    (measuring("counter", 1, "half \ud800", name="toy_halves_total"), {"way": "half \\ud800"}, 2, None),
    (measuring("counter", 1, MARKS, name="toy_marks_total"), {"way": MARKS}, 2, None),
    (measuring("counter", 1, "", name="toy_empty_total"), {"way": ""}, 2, None),
]


async def test_odd_numbers_and_labels_are_added_up_and_can_be_told(open_hall, make_plugin, places, failures):
    async with open_hall(make_plugin(metrics=[metric for metric, *_ in ODD])) as hall:
        for process in await processes(hall, places) * 2:
            families = await process.collect()
            text, _ = exposed(families, OPENMETRICS)
            names = [family.name for family in text_string_to_metric_families(text.decode())]
            for metric, labels, value, total in ODD:
                (sample,) = next(family.samples for family in families if family.name == metric.name)
                assert (sample.labels, sample.value, sample.sum) == (labels, value, total), metric.name
                assert metric.name.removesuffix("_total") in names
    assert failures == []


async def test_a_histogram_of_no_number_is_left_out_and_the_others_are_told(
    open_hall, make_plugin, places, failures
):
    metrics = [
        measuring("histogram", spread_over(math.nan)),
        Metric("toy_total", "T", "counter", measure=seven),
    ]
    async with open_hall(make_plugin(metrics=metrics)) as hall:
        one, _ = await processes(hall, places)
        failures.clear()
        assert await told(one) == {"toy_total": 14}
        assert failures == [("metric.failed", "toy", "toy_waits")]
        alone = {family.name for family in await hall.server.service(Metrics).collect()}
        assert ("toy_total" in alone, "toy_waits" in alone) == (True, False)


async def test_a_measure_that_awaits_what_was_cancelled_stops_no_scrape_and_no_report(
    open_hall, make_plugin, places, failures
):
    async def measure(host, reader):
        raise asyncio.CancelledError

    metrics = [
        Metric("toy_broken_total", "T", "counter", measure=measure),
        Metric("toy_boxes", "T", "gauge", measure=measure),
        Metric("toy_total", "T", "counter", measure=seven),
    ]
    async with open_hall(make_plugin(metrics=metrics)) as hall:
        one, _ = await processes(hall, places)
        assert await told(one) == {"toy_total": 14}
        assert ("metric.failed", "toy", "toy_broken_total") in failures
        alone = {family.name for family in await hall.server.service(Metrics).collect()}
        assert "toy_total" in alone


async def test_a_measure_that_hangs_holds_up_no_other_and_no_stop(
    open_hall, make_plugin, places, failures, monkeypatch
):
    monkeypatch.setattr(room, "PATIENCE_SECONDS", 60.0)
    monkeypatch.setattr(room, "_LAST_SECONDS", 0.01)
    begun, hanging, count = asyncio.Semaphore(0), asyncio.Event(), {(): 1}

    async def hang(host, reader):
        begun.release()
        await hanging.wait()
        return {(): 1}

    async def measure(host, reader):
        return count

    metrics = [
        Metric("toy_hanging_total", "T", "counter", measure=hang),
        Metric("toy_total", "T", "counter", measure=measure),
    ]
    async with open_hall(make_plugin(metrics=metrics)) as hall:
        hanging.set()
        one, other = await processes(hall, places)
        hanging.clear()
        for _ in range(2):
            await begun.acquire()
        async with asyncio.timeout(60):
            one.start()
            await begun.acquire()
            scrape = asyncio.create_task(told(one))
            await begun.acquire()  # whoever looks does not wait for the report
            hanging.set()
            assert await scrape == {"toy_hanging_total": 2, "toy_total": 2}
            hanging.clear()
            count[()] = 5
            await one.stop()
            hanging.set()
            assert await told(other) == {"toy_hanging_total": 2, "toy_total": 10}


async def test_of_our_gauges_those_of_streams_memory_and_files_are_added_up(hall, places):
    one, other = (SharedMeasurements(hall.server.host, Reports(places, number)) for number in range(2))
    alone = {family.name: family for family in await one.collect() if family.kind == "gauge"}
    both = {family.name: family for family in await other.collect() if family.kind == "gauge"}
    doubled = {
        name
        for name, family in both.items()
        if [sample.value for sample in family.samples]
        > [sample.value * 1.5 for sample in alone[name].samples]
    }
    memory = {"process_virtual_memory_bytes", "process_resident_memory_bytes"}
    assert doubled == {"process_open_fds", "process_max_fds", *memory}
    every = [*hall.registry.declared(Metric), *metrics_of_kernel(hall.server.own_metrics.measures, ())]
    declared = {metric.name for metric in every if metric.per_process}
    assert declared == {"guildhall_http_event_streams", "guildhall_ai_open_streams", *doubled}


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (Metric("toy_boxes", "T", "gauge", measure=measured_by(THREE), per_process=True), "counts rows"),
        (Metric("toy_boxes", "T", "gauge", measure=seven, sampled=True, per_process=True), "counts rows"),
        (Metric("toy_total", "T", "counter", per_process=False), "added to in each process"),
    ],
)
def test_a_metric_that_contradicts_itself_is_refused(metric, reason):
    assert reason in metric_fault(metric, TOY)
