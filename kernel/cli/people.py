"""`guildhall people`: who is here, and mending what is locked out. It works beside a running server."""

import argparse
import asyncio
import getpass
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from guildhall_sdk import ORG_ROLES, TEAM_ROLES, Actor, Writer
from guildhall_sdk.names import account_lock, username_key
from guildhall_sdk.services import Team, User
from kernel.cli.opened import OpenedInstance, opened_instance
from kernel.config import Settings
from kernel.faults import CommandRefused
from kernel.tenancy.directory import StoredDirectory

ACTOR = "operator at the machine"
_NO_ROLE = "none"
_LONGEST_LINE = 8192

Action = Callable[[argparse.Namespace, Settings, OpenedInstance], Awaitable[str]]


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    people = commands.add_parser("people", help="see people, and mend what is locked out")
    group = people.add_subparsers(required=True, metavar="action")
    listing = group.add_parser("list", help="everybody, with their company, roles and teams")
    listing.add_argument("--company", type=_text, help="only of this one, by slug or id")
    listing.set_defaults(run=_run(_list))
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
    parser.set_defaults(run=_run(action))
    return parser


def _text(argument: str) -> str:
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("is no text in UTF-8") from None
    return argument


def _run(action: Action) -> Callable[[argparse.Namespace, Settings], int]:
    async def opened(options: argparse.Namespace, settings: Settings) -> str:
        async with opened_instance(settings) as instance:
            return await action(options, settings, instance)

    def run(options: argparse.Namespace, settings: Settings) -> int:
        from guildhall_sdk import Problem

        try:
            print(asyncio.run(opened(options, settings)))
        except Problem as refused:
            raise CommandRefused(refused.detail) from None
        return 0

    return run


async def _list(options: argparse.Namespace, settings: Settings, instance: OpenedInstance) -> str:
    from kernel.tenancy.repair import everybody

    directory, lines = StoredDirectory(instance.clock), 0
    async for found in everybody(instance.data, options.company):
        async with instance.data.read() as reader:
            teams = await directory.teams_of(reader, found.user.id)
        marks = [
            *(["operator"] if found.user.operator else []),
            *([found.user.org_role] if found.user.org_role else []),
            *(["2fa"] if found.user.two_factor else []),
            *([] if found.has_password else ["no-password"]),
        ]
        within = " ".join(f"{team.slug}:{role}" for team, role in teams) or "in no team"
        print(f"{found.user.username:24} {found.company:20} {','.join(marks) or '-':28} {within}")
        lines += 1
    if options.company is not None and not lines:
        raise CommandRefused(f"nobody is in a company {options.company!r}; `guildhall people list` shows all")
    return f"{lines} {'person' if lines == 1 else 'people'}"


@dataclass(frozen=True, slots=True)
class _Held:
    """A person whom nobody else changes until the write ends."""

    writer: Writer
    user: User
    directory: StoredDirectory

    def audit(
        self, action: str, detail: Mapping[str, object] | None = None, team: Team | None = None
    ) -> None:
        """In the trail of the person's company."""
        actor = Actor(ACTOR, org_id=self.user.org_id, team_id=None if team is None else team.id)
        self.writer.audit(action, ("user", self.user.id), detail=detail, actor=actor)


@asynccontextmanager
async def _held(instance: OpenedInstance, username: str) -> AsyncIterator[_Held]:
    directory = StoredDirectory(instance.clock)
    async with instance.data.write() as writer:
        await writer.serialize(account_lock(username_key(username)))
        user = await directory.user_by_name(writer, username)
        if user is None:
            raise CommandRefused(f"there is nobody named {username!r}; `guildhall people list` shows who is")
        yield _Held(writer, user, directory)


async def _set_password(options: argparse.Namespace, settings: Settings, instance: OpenedInstance) -> str:
    from kernel.identity.credentials import StoredCredentials
    from kernel.identity.passwords import Argon2Passwords

    passwords = Argon2Passwords(_policy(settings))
    try:
        async with instance.data.read() as reader:
            known = await StoredDirectory(instance.clock).user_by_name(reader, options.username)
        if known is None:
            raise CommandRefused(f"there is nobody named {options.username!r}")
        given = await asyncio.to_thread(_ask_password)
        await passwords.check_policy(known.username, given, pointer="the password")
        hashed = await passwords.hash(given)
    finally:
        passwords.close()
    async with _held(instance, options.username) as held:
        await held.directory.set_password(held.writer, held.user.id, hashed)
        await StoredCredentials(instance.clock).end_sessions_of(held.writer, held.user.id)
        held.audit("password.set")
    return f"{held.user.username} has a new password; their sessions have ended"


def _policy(settings: Settings) -> Callable[[str, str], Awaitable[str | None]]:
    """What the plugins of this instance say of a password, as on the server."""
    from kernel.plugins.admission import Admission
    from kernel.plugins.discovery import discover
    from kernel.plugins.hooks import HookCaller

    admission = Admission()
    admission.admit_all(discover(settings.plugins, settings.blob_store), settings.plugins_blocked)
    hooks = HookCaller(admission.manager)

    async def decide(username: str, password: str) -> str | None:
        refusal: str | None = await hooks.decide("decide_password", username=username, password=password)
        return refusal

    return decide


def _ask_password() -> str:
    if not sys.stdin.isatty():
        try:
            return sys.stdin.readline(_LONGEST_LINE).rstrip("\r\n")
        except UnicodeDecodeError:
            raise CommandRefused("the password on standard input is no text in UTF-8") from None
    given = getpass.getpass("New password: ")
    if getpass.getpass("Again: ") != given:
        raise CommandRefused("the two are not the same")
    return given


async def _set_operator(options: argparse.Namespace, settings: Settings, instance: OpenedInstance) -> str:
    from kernel.tenancy.repair import set_operator

    async with _held(instance, options.username) as held:
        grant = not options.revoke
        await held.directory.hold_people(held.writer, held.user.org_id)
        if await set_operator(held.writer, held.user.id, grant, keep_one=not settings.hosted):
            held.audit("operator.granted" if grant else "operator.revoked")
    return f"{held.user.username} {'operates' if grant else 'no longer operates'} this instance"


async def _join(options: argparse.Namespace, settings: Settings, instance: OpenedInstance) -> str:
    if (options.team is None) != (options.role is None):
        raise CommandRefused("--team and --role go together")
    if options.team is None and options.org_role is None:
        raise CommandRefused("say what to give: --team with --role, or --org-role, or all three")
    said: list[str] = []
    async with _held(instance, options.username) as held:
        await held.directory.hold_people(held.writer, held.user.org_id)
        if options.team is not None:
            said.append(await _put_into_team(held, options.team, options.role))
        if options.org_role is not None:
            role = None if options.org_role == _NO_ROLE else options.org_role
            before = await held.directory.set_org_role(held.writer, held.user.org_id, held.user.id, role)
            if before != role:
                change = {"username": held.user.username, "from": before, "to": role}
                held.audit("org_role.changed", change)
            said.append(f"{role or 'nothing'} in the company")
    return f"{held.user.username} is now {' and '.join(said)}"


async def _put_into_team(held: _Held, ref: str, role: str) -> str:
    from kernel.tenancy.repair import team_by_ref

    team = await team_by_ref(held.writer, held.user.org_id, ref)
    if team is None:
        raise CommandRefused(f"their company has no team {ref!r}")
    before = await held.directory.member(held.writer, team.id, held.user.id)
    if before is None:
        await held.directory.add_member(held.writer, team.id, held.user.id, role)
        held.audit("member.added", {"username": held.user.username, "role": role, "new": False}, team)
    elif before.role != role:
        await held.directory.set_role(held.writer, team.id, held.user.id, role)
        change = {"username": held.user.username, "from": before.role, "to": role}
        held.audit("member.role_changed", change, team)
    return f"{role} in {team.slug}"


async def _two_factor_off(options: argparse.Namespace, settings: Settings, instance: OpenedInstance) -> str:
    from kernel.identity.credentials import StoredCredentials

    async with _held(instance, options.username) as held:
        if not held.user.two_factor:
            return f"{held.user.username} has two-factor off already"
        await held.directory.set_two_factor(held.writer, held.user.id, False)
        await StoredCredentials(instance.clock).end_sessions_of(held.writer, held.user.id)
        held.audit("two_factor.revoked")
    return f"{held.user.username} signs in without a second factor now; their sessions have ended"
