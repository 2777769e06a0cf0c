"""Searches for a word that every document has, by somebody who reads all of them, a few, or none."""

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial

import builtin_plugins.notes
import builtin_plugins.search
import kernel
from bench.growth_filling import opened, sql
from bench.report import Aim, Report
from bench.rounds import take_turns
from builtin_plugins.search.catching_up import merge_segments
from builtin_plugins.search.finding import Question, find, present
from builtin_plugins.search.indexing import take_apart
from guildhall_sdk import Credential, Principal, SearchSource, Writer
from guildhall_sdk.services.search import Findable
from kernel.db.database import Database

FETCHED = 51
SHARED = 20
_FLAT, _BESIDE_ALL = Aim(1.5), Aim(3.0)
_OWNERS = {"kernel": kernel, "search": builtin_plugins.search, "notes": builtin_plugins.notes}
_WORD = "harbour"
_TEXT = "Ships are safe in the harbour, but that is not what ships are for"


def compare_searches(
    report: Report,
    subject: str,
    new_url: Callable[[str, str], str],
    databases: list[str],
    few: int,
    many: int,
    rounds: int,
) -> None:
    for database in databases:
        with ExitStack() as stack:
            runner = stack.enter_context(asyncio.Runner())
            turns = {}
            for notes in (few, many):
                url = new_url(database, f"search-{notes}")
                data = stack.enter_context(opened(runner, url, _OWNERS, partial(_fill, notes)))
                runner.run(merge_segments(data))  # as a server does once a day
                for who in ("member", "guest", "stranger"):
                    turns[who, notes] = partial(_search_on, runner, data, who)
                    turns[who, notes]()
            taken = take_turns({f"{who} {notes}": turn for (who, notes), turn in turns.items()}, rounds)
        of_all = taken[f"member {many}"]
        for who, reads in (("guest", f"who reads {SHARED}"), ("stranger", "who reads none")):
            what = f"a common word in {many:,} documents by one {reads}, {database}"
            ours = taken[f"{who} {many}"]
            report.compare(subject, what, ours, f"in {few:,}", taken[f"{who} {few}"], _FLAT)
            report.compare(subject, what, ours, "one who reads all", of_all, _BESIDE_ALL)
            report.reading(subject, what, [one * 1000 for one in ours], "ms")


def _search_on(runner: asyncio.Runner, data: Database, user_id: str) -> float:
    return runner.run(_search(data, _caller(user_id, "team_0" if user_id == "member" else "team_1")))


async def _search(data: Database, caller: Principal) -> float:
    question = Question(f'"{_WORD}"', builtin_plugins.notes.declare_search_sources(), False, None, FETCHED)
    began = time.perf_counter()
    async with data.read() as reader:
        found = await find(reader, caller, question, 0, _refuse)
    await present(found, caller, question)
    return time.perf_counter() - began


def _refuse(source: SearchSource, error: Exception) -> None:
    raise error


async def _fill(notes: int, writer: Writer) -> None:
    await writer.run(sql.companies, many=2)
    await writer.run(sql.teams)
    for person in ("author", "member", "guest", "stranger"):
        await writer.run(sql.people, id=person)
    await writer.run(sql.notes, many=notes, title="Ships", text=_TEXT)
    # The oldest: whoever walks from the newest on meets them last.
    await writer.run(sql.note_shares, many=SHARED)
    indexed = take_apart(Findable("note", "x", "org_0", "team_0", "Ships", _TEXT))
    await writer.run(sql.documents, title_words=indexed.title_words, body_words=indexed.body_words)
    await writer.run(
        sql.words,
        title_words=indexed.apart_title,
        often_words=indexed.apart_often,
        body_words=indexed.apart_body,
    )


def _caller(user_id: str, team_id: str) -> Principal:
    return Principal(
        user_id=user_id,
        username=user_id,
        display_name=user_id,
        locale="en",
        two_factor=False,
        operator=False,
        team_id=team_id,
        team_name=team_id,
        role="member",
        org_id="org_0",
        org_slug="org-0",
        org_name="Company",
        org_role=None,
        org_suspended=False,
        credential=Credential("token", "session", None, None),
        permissions=frozenset({"files:read", "notes:read", "search"}),
    )
