"""Job kinds that a plugin declares with declare_job_kinds: a violation keeps that plugin out, and only it."""

from types import SimpleNamespace

import pytest

from guildhall_sdk import JobKind, Plugin, hookimpl


async def handler(job):
    return None


def not_async(job):
    return None


def fine(result):
    return False


def toy(*kinds, name="toy"):
    @hookimpl
    def declare_job_kinds():
        return kinds

    plugin = Plugin(name, name.title(), "1.0", "A toy.")
    return SimpleNamespace(PLUGIN=plugin, declare_job_kinds=declare_job_kinds)


async def status(hall, name="toy"):
    items = (await hall.operator.get("/api/plugins?limit=200")).json()["items"]
    return next(item for item in items if item["id"] == name)


@pytest.mark.hall_databases("sqlite")
async def test_kinds_are_listed_with_their_plugin(open_hall):
    kinds = (JobKind("x.toy.here", "Here", handler=handler), JobKind("x.toy.there", "There", validator=fine))
    async with open_hall(toy(*kinds)) as hall:
        listed = await status(hall)
    assert listed["status"] == "loaded"
    assert listed["job_kinds"] == [
        {"name": "x.toy.here", "remote": False, "public": True},
        {"name": "x.toy.there", "remote": True, "public": True},
    ]


NAME = "must be named x.{}.<name>"
#: What is wrong with a kind of the plugin `toy…`, and why it is.
VIOLATIONS = [
    (lambda toy: JobKind(f"{toy}.here", "", handler=handler), NAME),
    (lambda toy: JobKind("x.other.here", "", handler=handler), NAME),
    (lambda toy: JobKind(f"x.{toy}.", "", handler=handler), NAME),
    (lambda toy: JobKind(f"x.{toy}.Über", "", handler=handler), NAME),
    (lambda toy: JobKind(f"x.{toy}.here", "", handler=not_async), "the handler must be async"),
    (lambda toy: JobKind(f"x.{toy}.there", ""), "it is remote, and needs a validator"),
    (
        lambda toy: JobKind(f"x.{toy}.here", "", handler=handler, validator=fine),
        "for kinds without a handler",
    ),
    (
        lambda toy: JobKind(f"x.{toy}.here", "", handler=handler, worker=handler),
        "for kinds without a handler",
    ),
    (
        lambda toy: JobKind(f"x.{toy}.there", "", validator=fine, worker=not_async),
        "its worker must be async",
    ),
    (lambda toy: JobKind(f"x.{toy}.here", "", handler=handler, ended=not_async), "its ended must be async"),
    (
        lambda toy: JobKind(f"x.{toy}.here", "", handler=handler, reserves={"toy.unknown": 1}),
        "is no dimension",
    ),
    (
        lambda toy: JobKind(f"x.{toy}.here", "", handler=handler, reserves={"storage.bytes": 1}),
        "is no dimension",
    ),
    (lambda toy: f"x.{toy}.here", "must give JobKind rows"),
]


@pytest.mark.hall_databases("sqlite")
async def test_a_violation_fails_the_plugins_load(open_hall):
    reasons = {f"toy{number}": reason for number, (_, reason) in enumerate(VIOLATIONS)}
    plugins = [toy(kind(name), name=name) for name, (kind, _) in zip(reasons, VIOLATIONS, strict=True)]
    async with open_hall(*plugins, allow_refused=True) as hall:
        assert (await hall.acme.member.get("/api/jobs")).status_code == 200
        for name, reason in reasons.items():
            found = await status(hall, name)
            assert found["status"] == "quarantined", name
            assert reason.format(name) in found["reason"]
            assert found["job_kinds"] == []


@pytest.mark.hall_databases("sqlite")
async def test_the_same_name_twice_fails_the_load(open_hall):
    twice = (JobKind("x.toy.here", "", handler=handler), JobKind("x.toy.here", "", handler=handler))
    async with open_hall(toy(*twice), allow_refused=True) as hall:
        assert "declared twice" in (await status(hall))["reason"]


@pytest.mark.hall_databases("sqlite")
async def test_the_end_of_a_job_is_told_with_the_host_of_its_plugin(open_hall):
    hosts = []

    async def work(job):
        hosts.append(job.host)

    async def ended(host, writer, job):
        host.news("ends")
        hosts.append(host)

    async with open_hall(toy(JobKind("x.toy.here", "Here", handler=work, ended=ended))) as hall:
        await hall.acme.member.post("/api/jobs", {"kind": "x.toy.here"})
        await hall.drain_jobs()
    assert hosts[0] is hosts[1]
