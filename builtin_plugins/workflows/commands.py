"""`guildhall workflows`: what an operator can see of runs at the machine, beside a running server."""

import argparse
from collections.abc import AsyncIterator

from builtin_plugins.workflows.runs.statements import sweeping_sql
from guildhall_sdk import Command, Row, rfc3339
from guildhall_sdk.commands import OpenedHost

_PAGE = 500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_subparsers(required=True, metavar="action")
    stuck = group.add_parser("stuck", help="runs that no job will move, one a line; there should be none")
    stuck.set_defaults(action=_list_stuck)


async def workflows(options: argparse.Namespace, host: OpenedHost) -> int:
    return int(await options.action(host))


async def _list_stuck(host: OpenedHost) -> int:
    """Prints the stuck runs; exits with 1 where there are some."""
    found = 0
    async for run in _stuck(host):
        found += 1
        since = rfc3339(run["moved_at"])
        print(f"{run['id']} {run['slug']} version {run['version']} team {run['team_id']} since {since}")
    return 1 if found else 0


async def _stuck(host: OpenedHost) -> AsyncIterator[Row]:
    after = ""
    while True:
        async with host.data.read() as reader:
            rows = await reader.all(sweeping_sql.stuck, after=after, limit=_PAGE)
        for row in rows:
            yield row
        if len(rows) < _PAGE:
            return
        after = rows[-1]["id"]


COMMANDS = (
    Command(
        name="workflows",
        help="look after the runs of workflows: stuck",
        opened=workflows,
        arguments=add_arguments,
    ),
)
