"""`guildhall login`, `logout` and `whoami`: who one is, and in which hall."""

import argparse
import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from builtin_plugins.client.keyrings import Session
from builtin_plugins.client.session import connected, forget, in_hall, session_file, store
from builtin_plugins.client.showing import plain, print_json
from guildhall_sdk import Command, UserError
from guildhall_sdk.commands import StandaloneHost

if TYPE_CHECKING:
    from guildhall_client import Client

_MAX_TOKEN = 4096


def _login_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Signs in with a username and a password, which are asked for or are two lines on standard input; a "
        "third is the code of two-factor. With --token-file it is the token that the file holds."
    )
    parser.add_argument("url", help="the hall, such as https://hall.example")
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="take the token from this file")
    parser.add_argument("--team", help="the team to work in, by id or slug (default: the oldest)")


def _login(options: argparse.Namespace, host: StandaloneHost) -> int:
    with connected(Session(options.url, "")) as hall:
        token = _token_of(options.token_file) if options.token_file else _password_login(hall, options.team)
    session = Session(options.url, token)
    with connected(session) as hall:
        who = hall.account.whoami()
    where = store(session)
    sys.stdout.write(
        f"signed in as {plain(who['user']['username'])} in {plain(who['team']['name'])}; kept in {where}\n"
    )
    return 0


def _token_of(file: Path) -> str:
    try:
        token = file.read_text("ascii").strip()
    except (OSError, ValueError):
        raise UserError(f"--token-file {file} cannot be read, or holds more than a token") from None
    if not token or len(token) > _MAX_TOKEN or len(token.split()) != 1:
        raise UserError(f"--token-file {file} holds no token: it is one word")
    return token


def _password_login(hall: "Client", team: str | None) -> str:
    from guildhall_client import OMITTED, Unauthenticated

    username, password = _asked("username: "), _asked("password: ", secret=True)
    if not username or not password:
        raise UserError("there is no username or no password: they are two lines on standard input")
    told = team or OMITTED
    try:
        return hall.account.login(username=username, password=password, team=told)["token"]
    except Unauthenticated as refusal:
        if refusal.code != "totp_required":
            raise
    code = _asked("code of two-factor: ")
    return hall.account.login(username=username, password=password, team=told, totp=code)["token"]


def _asked(prompt: str, *, secret: bool = False) -> str:
    """Returns an answer: of a terminal, where a secret is not shown, or the next line."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    return getpass.getpass(prompt) if secret else input(prompt)


def _logout(options: argparse.Namespace, host: StandaloneHost) -> int | None:
    if not session_file().exists():
        raise UserError("nobody is signed in here")
    try:
        with connected() as hall:
            # An API token is for other programs too; a session was begun for this one alone.
            if hall.account.whoami()["credential"]["kind"] == "session":
                hall.account.logout()
    finally:
        forget()
    return 0


def _whoami_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="all of it, as JSON")


def _whoami(options: argparse.Namespace, host: StandaloneHost) -> int | None:
    def show(hall: "Client") -> None:
        who = hall.account.whoami()
        if options.json:
            print_json(who)
            return
        lines = {
            "user": who["user"]["username"],
            "team": who["team"]["name"],
            "company": who["org"]["name"],
            "company role": who["org_role"],
            "operator": "yes" if who["operator"] else "no",
            "permissions": ", ".join(who["permissions"]),
        }
        for name, value in lines.items():
            sys.stdout.write(f"{name:13} {plain(value)}\n")

    return in_hall(show)


COMMANDS = (
    Command(name="login", help="sign in to a hall", arguments=_login_arguments, standalone=_login),
    Command(name="logout", help="sign out, and forget the token", standalone=_logout),
    Command(
        name="whoami", help="who is signed in, and where", arguments=_whoami_arguments, standalone=_whoami
    ),
)
