"""`declare_metrics`: what a plugin can measure and count, and what cannot stand beside the rest."""

import asyncio

import pytest

from builtin_plugins.metrics import measurements as room
from builtin_plugins.metrics import metric_fault
from builtin_plugins.metrics.measurements import Tally
from builtin_plugins.metrics.server import metrics_of_kernel
from guildhall_sdk import Metric, Statement
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.metrics import Distribution, Metrics, measured_by
from guildhall_sdk.routes import Adapter

pytestmark = pytest.mark.any_database

SPINS = "toy_spins_total"
TOY = Declarer(id="toy", routes=(), rows={})
OURS = Declarer(id="metrics", routes=(), rows={})


async def one(host, reader):
    return {(): 1}


def gauge(name="toy_boxes", measure=one, labels=()):
    return Metric(name, "Boxes", "gauge", labels, measure=measure)


async def measured(hall):
    """Every family of the toy plugin: labels to value."""
    found = await hall.server.service(Metrics).collect()
    assert {"guildhall_http_requests_total", "guildhall_notes"} <= {family.name for family in found}
    return {
        family.name: {tuple(sample.labels.values()): sample.value for sample in family.samples}
        for family in found
        if family.name.startswith("toy_")
    }


# Measuring and counting


async def test_a_measure_is_asked_each_time_somebody_looks(open_hall, make_plugin):
    boxes = {("blue",): 1}

    async def measure(host, reader):
        return boxes

    async with open_hall(make_plugin(metrics=[gauge(measure=measure, labels=("colour",))])) as hall:
        assert await measured(hall) == {"toy_boxes": {("blue",): 1}}
        boxes["red",] = 2.5
        assert await measured(hall) == {"toy_boxes": {("blue",): 1, ("red",): 2.5}}


@pytest.mark.every_database
async def test_a_statement_gives_labels_and_the_value_last(open_hall, make_plugin):
    text = "SELECT username, :now - :now + 7 FROM users WHERE username LIKE 'acme-o%' AND org_role IS NULL"
    by = measured_by(Statement("toy", text, text.replace(":now -", "CAST(:now AS BIGINT) -")))
    async with open_hall(make_plugin(metrics=[gauge(measure=by, labels=("who",))])) as hall:
        assert await measured(hall) == {"toy_boxes": {("acme-owner",): 7}}


async def test_a_counter_counts_by_its_labels(open_hall, make_plugin):
    plugin = make_plugin(
        metrics=[Metric(SPINS, "Spins", "counter", ("way",)), Metric("toy_all_total", "All", "counter")]
    )
    async with open_hall(plugin) as hall:
        assert await measured(hall) == {SPINS: {}, "toy_all_total": {(): 0}}
        metrics = hall.server.service(Metrics)
        metrics.counter(SPINS).add("left")
        metrics.counter(SPINS).add("left", by=2.5)
        metrics.counter(SPINS).add("right")
        metrics.counter("toy_all_total").add()
        assert await measured(hall) == {SPINS: {("left",): 3.5, ("right",): 1}, "toy_all_total": {(): 1}}


async def test_a_counter_taken_at_the_start_still_counts_when_another_plugin_fell_out(open_hall, make_plugin):
    kept = []

    async def take(host):
        kept.append(host.service(Metrics).counter(SPINS))

    async def fail(host):
        raise RuntimeError("no")

    counting = make_plugin("toy", metrics=[Metric(SPINS, "Spins", "counter")], on_start=take)
    failing = make_plugin("other", metrics=[gauge("toy_others")], on_start=fail)
    async with open_hall(counting, failing, allow_refused=True) as hall:
        kept[0].add()
        assert await measured(hall) == {SPINS: {(): 1}}


async def test_a_histogram_is_told_cumulatively(open_hall, make_plugin):
    waits = Distribution(bounds=(1, 5))
    for wait in (0.5, 1, 2, 9):
        waits.observe(wait)

    async def measure(host, reader):
        return {(): waits}

    async with open_hall(
        make_plugin(metrics=[Metric("toy_waits", "W", "histogram", (), measure=measure)])
    ) as hall:
        found = await hall.server.service(Metrics).collect()
        (family,) = [family for family in found if family.name == "toy_waits"]
        (sample,) = family.samples
        assert (sample.value, sample.sum) == (4, 12.5)
        assert list(sample.buckets) == [(1, 2), (5, 3), (float("inf"), 4)]


@pytest.mark.parametrize("arguments", [(), ("a", "b"), ("a",) * 3])
def test_a_counter_wants_its_labels(arguments):
    with pytest.raises(ValueError, match="1 labels"):
        Tally(Metric(SPINS, "Spins", "counter", ("way",))).add(*arguments)


@pytest.mark.parametrize("by", [-1, float("nan"), float("inf")])
def test_a_counter_only_grows(by):
    tally = Tally(Metric(SPINS, "Spins", "counter"))
    with pytest.raises(ValueError, match="only grows"):
        tally.add(by=by)
    assert tally.series == {(): 0}


def test_a_label_without_an_end_stops_growing(monkeypatch):
    monkeypatch.setattr(room, "MAX_SERIES", 3)
    tally = Tally(Metric(SPINS, "Spins", "counter", ("who",)))
    for number in range(10):
        tally.add(f"person-{number}")
    tally.add("person-0")
    assert tally.series == {("person-0",): 2, ("person-1",): 1, ("person-2",): 1, ("other",): 7}


async def test_nobody_counts_what_is_not_declared(open_hall, make_plugin):
    async with open_hall(make_plugin(metrics=[gauge()])) as hall:
        for name in (SPINS, "toy_boxes"):
            with pytest.raises(ValueError, match=name):
                hall.server.service(Metrics).counter(name)


# What is counted in the background


class Shelf:
    """A measure of so many boxes, which tells how often it was asked."""

    def __init__(self, boxes):
        self.boxes = boxes
        self.asked = 0

    async def measure(self, host, reader):
        self.asked += 1
        return {(): self.boxes}


@pytest.fixture
async def shelf(open_hall, make_plugin, monkeypatch):
    """A hall where more than two rows are many, and a shelf of three."""
    monkeypatch.setattr(room, "EXACT_ROWS", 2)
    shelf = Shelf(3)
    metric = Metric("toy_boxes", "Boxes", "gauge", measure=shelf.measure, sampled=True)
    async with open_hall(make_plugin(metrics=[metric])) as hall:
        shelf.hall, shelf.metrics = hall, hall.server.service(Metrics)
        yield shelf


async def looked(shelf):
    """The value that somebody sees, and how old the metrics say that it is."""
    found = {family.name: family for family in await shelf.metrics.collect()}
    ages = {one.labels["metric"]: one.value for one in found[room.SAMPLE_AGE].samples}
    return found["toy_boxes"].samples[0].value, ages.get("toy_boxes")


@pytest.mark.every_database
async def test_many_rows_are_counted_in_the_background_and_the_age_is_told(shelf):
    assert await looked(shelf) == (3, 0)
    shelf.boxes = 4
    shelf.hall.clock.advance(seconds=29)
    assert (await looked(shelf), shelf.asked) == ((3, 29), 1)
    shelf.hall.clock.advance(seconds=1)
    assert await looked(shelf) == (3, 30)
    await shelf.metrics.sampled()
    assert (await looked(shelf), shelf.asked) == ((4, 0), 2)
    async with shelf.hall.server.data.read() as reader:
        assert await shelf.metrics.value(reader, "toy_boxes") == 4
    assert shelf.asked == 2


async def test_few_rows_are_counted_whenever_somebody_looks(shelf):
    shelf.boxes = 1
    assert (await looked(shelf), await looked(shelf), shelf.asked) == ((1, None), (1, None), 2)
    shelf.boxes = 9
    assert (await looked(shelf), await looked(shelf), shelf.asked) == ((9, 0), (9, 0), 3)
    shelf.boxes = 2
    shelf.hall.clock.advance(seconds=30)
    await looked(shelf)
    await shelf.metrics.sampled()
    assert (await looked(shelf), shelf.asked) == ((2, None), 5)


async def test_a_count_that_is_slow_twice_goes_into_the_background_too(shelf, monkeypatch):
    monkeypatch.setattr(room, "SLOW_SECONDS", 0)
    shelf.boxes = 1
    for asked, age in ((1, None), (2, 0), (2, 0)):
        assert (await looked(shelf), shelf.asked) == ((1, age), asked)


@pytest.mark.every_database
async def test_a_statement_is_sampled_without_saying_so(open_hall, make_plugin, monkeypatch):
    monkeypatch.setattr(room, "EXACT_ROWS", 2)
    text = "SELECT COUNT(*) FROM users"
    counted = gauge(measure=measured_by(Statement("toy", text, text)))
    async with open_hall(make_plugin(metrics=[counted])) as hall:
        before = (await measured(hall))["toy_boxes"]
        await hall.join(hall.globex)
        assert (await measured(hall))["toy_boxes"] == before


async def test_a_first_count_that_takes_too_long_goes_on_in_the_background(
    open_hall, make_plugin, failures, monkeypatch
):
    counted = asyncio.Event()

    async def measure(host, reader):
        await counted.wait()
        return {(): 12_345}

    metric = Metric("toy_boxes", "Boxes", "gauge", measure=measure, sampled=True)
    async with open_hall(make_plugin(metrics=[metric])) as hall:
        monkeypatch.setattr(room, "PATIENCE_SECONDS", 1.0)
        assert await measured(hall) == {}
        counted.set()
        await hall.server.service(Metrics).sampled()
        assert await measured(hall) == {"toy_boxes": {(): 12_345}}
        assert failures == [("metric.failed", "toy", "toy_boxes")]


# What goes wrong


async def too_many(host, reader):
    return {(str(number),): 1 for number in range(room.MAX_SERIES + 2)}


async def raising(host, reader):
    raise RuntimeError("the toy is broken")


BROKEN = {
    "raises": (raising, ()),
    "wrong_labels": (one, ("colour",)),
    "no_number": (lambda: {(): "many"}, ()),
    "not_finite": (lambda: {(): float("nan")}, ()),
    "of_a_histogram": (lambda: {(): Distribution()}, ()),
    "without_an_end": (too_many, ("number",)),
}


def broken_metric(name, given, labels):
    async def measure(host, reader):
        return given()

    return gauge(name, given if asyncio.iscoroutinefunction(given) else measure, labels)


@pytest.mark.every_database
async def test_what_cannot_be_measured_is_logged_and_left_out(open_hall, make_plugin, failures):
    broken = {f"toy_{how}": given for how, given in BROKEN.items()}
    metrics = [broken_metric(name, *given) for name, given in broken.items()]
    async with open_hall(make_plugin(metrics=[*metrics, gauge()])) as hall:
        assert await measured(hall) == {"toy_boxes": {(): 1}}
        assert sorted(failures) == sorted(("metric.failed", "toy", name) for name in broken)


async def test_a_measure_that_does_not_end_is_left_out(open_hall, make_plugin, failures, monkeypatch):
    async def hang(host, reader):
        await asyncio.Event().wait()

    async with open_hall(make_plugin(metrics=[gauge(measure=hang)])) as hall:
        monkeypatch.setattr(room, "PATIENCE_SECONDS", 1.0)
        assert await measured(hall) == {}
        assert failures == [("metric.failed", "toy", "toy_boxes")]


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (gauge("boxes"), "small words with _ between"),
        (gauge("Toy_boxes"), "small words with _ between"),
        (gauge("toy_boxes\n"), "small words with _ between"),
        (gauge("toy__boxes"), "small words with _ between"),
        (gauge("toy_" + "b" * 97), "small words with _ between"),
        (gauge("process_boxes"), "those are the kernel's"),
        (gauge("guildhall_http_boxes"), "those are the kernel's"),
        (gauge("toy_boxes_total"), "ends in _total"),
        (gauge("toy_boxes_bucket"), "must not end in"),
        (Metric("toy_spins", "Spins", "counter"), "ends in _total"),
        (Metric("toy_spins_sum_total", "Spins", "counter"), "must not end in"),
        (gauge(labels=("le",)), "not le"),
        (gauge(labels=("the colour",)), "small words"),
        (gauge(measure=None), "a gauge needs a measure"),
        (gauge(measure=lambda host, reader: {}), "must be async"),
        (Metric("toy_boxes", "Boxes", "summary", (), measure=one), "there is no kind summary"),
    ],
)
def test_a_metric_that_would_not_read_well_is_refused(metric, reason):
    assert reason in metric_fault(metric, TOY)


CANNOT_STAND = [
    ([gauge(), gauge()], "the metric toy_boxes is declared twice"),
    ([gauge(), Metric("toy_boxes_total", "Boxes", "counter")], "the metric toy_boxes is declared twice"),
    ([gauge("guildhall_notes")], "the metric guildhall_notes is declared twice"),
    ([gauge("boxes")], "small words with _ between"),
    (["toy_boxes"], "declare_metrics must give Metric rows, not str"),
]


async def test_a_metric_that_cannot_stand_keeps_the_plugin_out(open_hall, make_plugin):
    plugins = [make_plugin(f"toy{place}", metrics=one) for place, (one, _) in enumerate(CANNOT_STAND)]
    async with open_hall(*plugins, allow_refused=True) as hall:
        reasons = {status.id: status.reason for status in hall.registry.refused}
        for place, (_, reason) in enumerate(CANNOT_STAND):
            assert reason in reasons[f"toy{place}"]
        assert await measured(hall) == {}


async def test_all_that_the_kernel_measures_is_told(open_hall):
    async with open_hall() as hall:
        measures = hall.server.own_metrics.measures
        told = metrics_of_kernel(measures, hall.registry.declared(Adapter))
        assert {*measures} <= {metric.name for metric in told}
        assert [metric_fault(metric, OURS) for metric in told] == [None] * len(told)
