"""`guildhall explain`: which gate lets a request through or refuses it, for the operator at the machine."""

import argparse

from builtin_plugins.explain.gates import Asked, Gates, row_for
from guildhall_sdk import Command, NotFound, Reader
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.services.tenancy import Directory, Team, User

_SIGNS = {"allow": "yes", "deny": "NO", "skip": "-"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("method", help="such as GET")
    parser.add_argument("path", help="such as /api/notes")
    parser.add_argument("--as", dest="user", required=True, metavar="USER", help="who would ask, by username")
    parser.add_argument("--team", help="by slug or id; their oldest unless given")


async def explain(options: argparse.Namespace, host: OpenedHost) -> int:
    """Prints a line for each gate; 1 where one refuses."""
    plugin, row = row_for(host.plugins, options.method, options.path)
    async with host.data.read() as reader:
        user, team = await _who(host.service(Directory), reader, options.user, options.team)
        judged = await Gates(host, None).judge(reader, Asked(plugin=plugin, row=row, user=user, team=team))
    print(f"{row.method} {row.path}: {row.doc} [{plugin}]")
    print(f"as {user.username} in {team.slug}")
    for one in judged:
        rule = "" if one.rule is None else f"{one.rule}: "
        print(f"  {_SIGNS[one.decision]:3} {one.gate:10} {rule}{one.because}")
        if one.decision == "deny" and one.lifted_by is not None:
            print(f"      {'':10} {one.lifted_by}")
    allowed = all(one.decision != "deny" for one in judged)
    print("allowed" if allowed else "refused")
    return 0 if allowed else 1


async def _who(directory: Directory, reader: Reader, name: str, ref: str | None) -> tuple[User, Team]:
    user = await directory.user_by_name(reader, name)
    if user is None:
        raise NotFound(f"there is nobody named {name!r}; `guildhall people list` shows who is")
    teams = [team for team, _ in await directory.teams_of(reader, user.id)]
    if ref is None:
        if not teams:
            raise NotFound(f"{name} is in no team; `guildhall people join {name} --team TEAM` changes that")
        return user, teams[0]
    found = next((team for team in teams if ref in (team.id, team.slug)), None)
    found = found or await directory.team_by_ref(reader, user.org_id, ref)
    if found is None or all(found.id != team.id for team in teams):
        known = ", ".join(team.slug for team in teams) or "no team"
        raise NotFound(f"{name} is not in a team {ref!r}; they are in {known}")
    return user, found


COMMANDS = (
    Command(
        name="explain",
        help="which gate lets a request through or refuses it",
        arguments=add_arguments,
        opened=explain,
    ),
)
