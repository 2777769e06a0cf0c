"""`guildhall people`: who is here, and mending what is locked out. It works beside a running server."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from builtin_plugins.identity.login import end_with_password
from guildhall_sdk import Actor, Command, NotFound, UserError, Writer
from guildhall_sdk.commands import OpenedHost
from guildhall_sdk.principal import ORG_ROLES, TEAM_ROLES
from guildhall_sdk.services.identity import Credentials, Passwords
from guildhall_sdk.services.tenancy import Directory, Team, User
from libs.names import account_lock, username_key

ACTOR = "operator at the machine"
_NO_ROLE = "none"
_LONGEST_LINE = 8192
_PER_READ = 500

Action = Callable[[argparse.Namespace, OpenedHost], Awaitable[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_subparsers(required=True, metavar="action")
    listing = group.add_parser("list", help="everybody, with their company, roles and teams")
    listing.add_argument("--company", type=_text, help="only of this one, by slug or id")
    listing.set_defaults(action=_list)
    password = _of_person(group, "password", "set somebody's password and end their sessions", _set_password)
    password.description = "Asks for the password, or reads it from standard input; never from an argument."
    operator = _of_person(group, "operator", "let somebody operate the instance, or no longer", _set_operator)
    operator.add_argument("--revoke", action="store_true", help="take it from them")
    join = _of_person(group, "join", "put somebody into a team, or give a role in the company", _join)
    join.add_argument("--team", type=_text, help="by slug or id; of their company")
    join.add_argument("--role", choices=list(TEAM_ROLES), help="in the team; who is in it gets this one")
    join.add_argument("--org-role", choices=[*ORG_ROLES, _NO_ROLE], help="in the company")
    _of_person(group, "2fa-off", "turn somebody's two-factor off and end their sessions", _two_factor_off)


def _of_person(
    group: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, says: str, action: Action
) -> argparse.ArgumentParser:
    parser = group.add_parser(name, help=says)
    parser.add_argument("username", type=_text)
    parser.set_defaults(action=action)
    return parser


def _text(argument: str) -> str:
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("is no text in UTF-8") from None
    return argument


async def people(options: argparse.Namespace, host: OpenedHost) -> None:
    print(await options.action(options, host))


async def _list(options: argparse.Namespace, host: OpenedHost) -> str:
    directory, lines = host.service(Directory), 0
    async for person, company in _everybody(host, options.company):
        async with host.data.read() as reader:
            teams = await directory.teams_of(reader, person.id)
        marks = [
            *(["operator"] if person.operator else []),
            *([person.org_role] if person.org_role else []),
            *(["2fa"] if person.two_factor else []),
            *([] if person.has_password else ["no-password"]),
        ]
        within = " ".join(f"{team.slug}:{role}" for team, role in teams) or "in no team"
        print(f"{person.username:24} {company:20} {','.join(marks) or '-':28} {within}")
        lines += 1
    if options.company is not None and not lines:
        raise NotFound(f"nobody is in a company {options.company!r}; `guildhall people list` shows all")
    return f"{lines} {'person' if lines == 1 else 'people'}"


async def _everybody(host: OpenedHost, company: str | None) -> AsyncIterator[tuple[User, str]]:
    """Yields everybody by id, with a read scope for each few hundred."""
    after = None
    while True:
        async with host.data.read() as reader:
            found = await host.service(Directory).users(reader, company, after, _PER_READ)
        for one in found:
            yield one
        if len(found) < _PER_READ:
            return
        after = found[-1][0].id


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """A person whom nobody else changes until the write ends."""

    writer: Writer
    user: User
    directory: Directory

    def audit(
        self, action: str, detail: Mapping[str, object] | None = None, team: Team | None = None
    ) -> None:
        """Records an event in the trail of the person's company."""
        actor = Actor(ACTOR, org_id=self.user.org_id, team_id=None if team is None else team.id)
        self.writer.audit(action, ("user", self.user.id), detail=detail, actor=actor)


@asynccontextmanager
async def _held(host: OpenedHost, username: str) -> AsyncIterator[_Held]:
    directory = host.service(Directory)
    async with host.data.write() as writer:
        await writer.serialize(account_lock(username_key(username)))
        user = await directory.user_by_name(writer, username)
        if user is None:
            raise NotFound(f"there is nobody named {username!r}; `guildhall people list` shows who is")
        yield _Held(writer, user, directory)


async def _set_password(options: argparse.Namespace, host: OpenedHost) -> str:
    passwords = host.service(Passwords)
    async with host.data.read() as reader:
        known = await host.service(Directory).user_by_name(reader, options.username)
    if known is None:
        raise NotFound(f"there is nobody named {options.username!r}")
    given = await asyncio.to_thread(_ask_password)
    await passwords.check_policy(known.username, given, pointer="the password")
    hashed = await passwords.hash(given)
    async with _held(host, options.username) as held:
        await held.directory.set_password(held.writer, held.user.id, hashed)
        await end_with_password(host, held.writer, held.user.id)
        held.audit("password.set")
    return f"{held.user.username} has a new password; their sessions have ended"


def _ask_password() -> str:
    if not sys.stdin.isatty():
        try:
            return sys.stdin.readline(_LONGEST_LINE).rstrip("\r\n")
        except UnicodeDecodeError:
            raise UserError("the password on standard input is no text in UTF-8") from None
    import getpass

    given = getpass.getpass("New password: ")
    if getpass.getpass("Again: ") != given:
        raise UserError("the two are not the same")
    return given


async def _set_operator(options: argparse.Namespace, host: OpenedHost) -> str:
    async with _held(host, options.username) as held:
        grant = not options.revoke
        await held.directory.hold_people(held.writer, held.user.org_id)
        if await held.directory.set_operator(
            held.writer, held.user.id, grant, keep_one=not host.settings.hosted
        ):
            held.audit("operator.granted" if grant else "operator.revoked")
    return f"{held.user.username} {'operates' if grant else 'no longer operates'} this instance"


async def _join(options: argparse.Namespace, host: OpenedHost) -> str:
    if (options.team is None) != (options.role is None):
        raise UserError("--team and --role go together")
    if options.team is None and options.org_role is None:
        raise UserError("say what to give: --team with --role, or --org-role, or all three")
    changes: list[str] = []
    async with _held(host, options.username) as held:
        await held.directory.hold_people(held.writer, held.user.org_id)
        if options.team is not None:
            changes.append(await _put_into_team(held, options.team, options.role))
        if options.org_role is not None:
            role = None if options.org_role == _NO_ROLE else options.org_role
            before = await held.directory.set_org_role(held.writer, held.user.org_id, held.user.id, role)
            if before != role:
                change = {"username": held.user.username, "from": before, "to": role}
                held.audit("org_role.changed", change)
            changes.append(f"{role or 'nothing'} in the company")
    return f"{held.user.username} is now {' and '.join(changes)}"


async def _put_into_team(held: _Held, ref: str, role: str) -> str:
    team = await held.directory.team_by_ref(held.writer, held.user.org_id, ref)
    if team is None:
        raise NotFound(f"their company has no team {ref!r}")
    before = await held.directory.member(held.writer, team.id, held.user.id)
    if before is None:
        await held.directory.add_member(held.writer, team.id, held.user.id, role)
        held.audit("member.added", {"username": held.user.username, "role": role, "new": False}, team)
    elif before.role != role:
        await held.directory.set_role(held.writer, team.id, held.user.id, role)
        change = {"username": held.user.username, "from": before.role, "to": role}
        held.audit("member.role_changed", change, team)
    return f"{role} in {team.slug}"


async def _two_factor_off(options: argparse.Namespace, host: OpenedHost) -> str:
    async with _held(host, options.username) as held:
        if not held.user.two_factor:
            return f"{held.user.username} has two-factor off already"
        await held.directory.set_two_factor(held.writer, held.user.id, False)
        await host.service(Credentials).end_sessions_of(held.writer, held.user.id)
        held.audit("two_factor.revoked")
    return f"{held.user.username} signs in without a second factor now; their sessions have ended"


COMMANDS = (
    Command(
        name="people",
        help="see people, and mend what is locked out",
        opened=people,
        arguments=add_arguments,
    ),
)
