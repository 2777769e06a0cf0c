"""Lists of a bucket that holds much which they do not show, over HTTP and over S3."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

from bench.growth_filling import opened, put_objects, sql
from bench.guildhall import Founder, found, guildhall
from bench.loads import Client, client
from bench.object_stores import Store, issued_store
from bench.report import Aim, Report
from bench.rounds import take_turns
from bench.servers import get
from guildhall_sdk import Writer

_PAGE = 1000
_API_PAGE = 200
_REQUESTS = 2
_FLAT = Aim(1.5)


@dataclass(frozen=True, slots=True)
class Sizes:
    few: int
    many: int
    #: How many keys lie in each of the folders that are rolled up.
    per_folder: int = 20
    folders: int = _PAGE


@dataclass(frozen=True, slots=True)
class _Bucket:
    store: Store
    token: str
    guests: dict[str, str]


def compare_lists(
    report: Report, subject: str, folder: Path, urls: dict[str, str | None], sizes: Sizes, rounds: int
) -> None:
    for database, url in urls.items():
        with ExitStack() as stack:
            bucket = stack.enter_context(_filled(folder / f"lists-{database}", url, sizes))
            _compare(report, subject, database, bucket, stack, sizes, rounds)


def _compare(
    report: Report,
    subject: str,
    database: str,
    bucket: _Bucket,
    stack: ExitStack,
    sizes: Sizes,
    rounds: int,
) -> None:
    store = bucket.store
    s3 = stack.enter_context(client(store.server, b"", 1, store.port))
    api = stack.enter_context(client(store.server, b"", 1))
    against = (f"{sizes.many:,} delete markers", f"{sizes.few:,}")
    v1: dict[str, str] = {}
    v2, versions = {"list-type": "2"}, {"versions": ""}
    for name, kind in (("S3 LIST v1", v1), ("S3 LIST v2", v2)):
        few, many = (_s3(bucket, s3, **kind, prefix=f"{size}/") for size in ("few", "many"))
        _report(report, subject, f"{name} past {against[0]}, {database}", many, against[1], few, rounds)
    few, many = (_s3(bucket, s3, **versions, prefix=f"{size}/") for size in ("few", "many"))
    _report(
        report, subject, f"S3 list of versions of as many keys, {database}", many, against[1], few, rounds
    )
    few, many = (_s3(bucket, s3, **versions, prefix=f"once-{size}/") for size in ("few", "many"))
    _report(
        report, subject, f"S3 list of versions of one such key, {database}", many, against[1], few, rounds
    )
    for what, more in (
        ("", {}),
        (" with a delimiter", {"delimiter": "/"}),
        (" of what was deleted", {"deleted": "1"}),
    ):
        few, many = (_api(api, bucket.token, prefix=f"{size}/", **more) for size in ("few", "many"))
        _report(
            report, subject, f"API list{what} past {against[0]}, {database}", many, against[1], few, rounds
        )
    few, many = (_api(api, bucket.guests[size], shared="1") for size in ("few", "many"))
    _report(
        report,
        subject,
        f"API list of what was given past {against[0]}, {database}",
        many,
        against[1],
        few,
        rounds,
    )
    for name, kind in (("S3 LIST v1", v1), ("S3 LIST v2", v2)):
        rolled = _s3(bucket, s3, **kind, prefix="folders/", delimiter="/")
        plain = _s3(bucket, s3, **kind, prefix="plain/")
        what = f"{name} that rolls up {sizes.folders:,} prefixes, {database}"
        _report(report, subject, what, rolled, f"a plain LIST of {_PAGE:,}", plain, rounds, Aim(3.0))
    rolled = _api(api, bucket.token, prefix="folders/", delimiter="/")
    plain = _api(api, bucket.token, prefix="plain/")
    what = f"API list of {_API_PAGE} folders, {database}"
    _report(report, subject, what, rolled, f"of {_API_PAGE} objects", plain, rounds, Aim(3.0))


def _s3(bucket: _Bucket, asking: Client, **query: str) -> "partial[float]":
    return partial(_s3_us, bucket.store, asking, "?" + urlencode(query))


def _s3_us(store: Store, asking: Client, query: str) -> float:
    return asking.load_each([store.signed("GET", query)] * _REQUESTS).latency_us


def _api(asking: Client, token: str, **query: str) -> "partial[float]":
    path = "/api/repo?" + urlencode({"limit": str(_API_PAGE), **query})
    return partial(_api_us, asking, get(path, token))


def _api_us(asking: Client, request: bytes) -> float:
    return asking.load_each([request] * _REQUESTS).latency_us


def _report(
    report: Report,
    subject: str,
    what: str,
    ours: "partial[float]",
    against: str,
    theirs: "partial[float]",
    rounds: int,
    aim: Aim = _FLAT,
) -> None:
    theirs(), ours()
    taken = take_turns({"ours": ours, "theirs": theirs}, rounds)
    report.compare(subject, what, taken["ours"], against, taken["theirs"], aim)
    report.reading(subject, what, [one / 1000 for one in taken["ours"]], "ms")


@contextmanager
def _filled(folder: Path, url: str | None, sizes: Sizes) -> Iterator[_Bucket]:
    with guildhall(folder, url) as server:
        founder = found(server)
        store = issued_store(server, founder.token)
        guests = {
            size: server.ask("POST", "/api/members", {"username": size, "role": "member"}, founder.token)
            for size in ("few", "many")
        }
    ids = {size: str(joined["member"]["user_id"]) for size, joined in guests.items()}
    with (
        asyncio.Runner() as runner,
        opened(
            runner, url or f"sqlite:///{folder / 'guildhall.db'}", {}, partial(_fill, founder, ids, sizes)
        ),
    ):
        pass
    with guildhall(folder, url) as server:
        # The listener of S3 is on another port by now.
        endpoint = server.ask("GET", "/api/s3/credentials", token=founder.token)["endpoint"]
        tokens = {size: str(joined["token"]) for size, joined in guests.items()}
        yield _Bucket(replace(store, server=server, endpoint=endpoint), founder.token, tokens)


async def _fill(founder: Founder, guests: dict[str, str], sizes: Sizes, writer: Writer) -> None:
    for size, many in (("few", sizes.few), ("many", sizes.many)):
        # What is there lies behind what was deleted.
        await put_objects(writer, founder, f"{size}/0", many, present=False)
        await put_objects(writer, founder, f"{size}/1", _PAGE, present=True)
        await writer.run(sql.grants, team_id=founder.team_id, prefix=f"{size}/", user_id=guests[size])
        await put_objects(writer, founder, f"once-{size}/", 1, present=False)
        await writer.run(
            sql.older_markers,
            tag=f"once-{size}_",
            many=many,
            org_id=founder.org_id,
            user_id=founder.user_id,
        )
    await put_objects(writer, founder, "plain/", _PAGE, present=True)
    many = sizes.folders * sizes.per_folder
    await put_objects(writer, founder, "folders/", many, present=True, folders=sizes.folders)
