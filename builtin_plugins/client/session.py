"""The hall that the commands work in: its address in a file for its owner alone, the token in their keyring.

Where there is no keyring the token is in that file too.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from builtin_plugins.client.keyrings import Session, keyring_of_user
from guildhall_sdk import UserError
from libs.private_files import NotPrivate, create_private, read_private

if TYPE_CHECKING:
    from guildhall_client import Client

URL_VARIABLE, TOKEN_VARIABLE = "GUILDHALL_URL", "GUILDHALL_TOKEN"
_MAX_CHARACTERS = 10_000


def session_file() -> Path:
    """Returns where the session is kept, as other programs keep what is a user's own."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home, "guildhall", "session.json")


def store(session: Session) -> str:
    """Keeps the session in place of the one before; returns where the token is, in words."""
    path = session_file()
    forget()
    keyring = keyring_of_user()
    if keyring is not None and keyring.put(session):
        told, where = {"url": session.url, "keyring": True}, keyring.name
    else:
        told, where = {"url": session.url, "token": session.token}, str(path)
    create_private(path, json.dumps(told))
    return where


def forget() -> None:
    """Forgets the session, the token in a keyring too."""
    path = session_file()
    try:
        told = json.loads(read_private(path, _MAX_CHARACTERS))
        if told.get("keyring") and (keyring := keyring_of_user()) is not None:
            keyring.remove(str(told["url"]))
    except (OSError, NotPrivate, ValueError, KeyError, AttributeError):
        pass  # what cannot be read names no token that could be found
    path.unlink(missing_ok=True)


def current() -> Session:
    """Returns the session of the environment, or of the last login."""
    url, token = os.environ.get(URL_VARIABLE), os.environ.get(TOKEN_VARIABLE)
    if url and token:
        return Session(url, token)
    path = session_file()
    try:
        told = json.loads(read_private(path, _MAX_CHARACTERS))
        if not told.get("keyring"):
            return Session(told["url"], told["token"])
    except FileNotFoundError:
        raise UserError("nobody is signed in here; begin with: guildhall login URL") from None
    except NotPrivate as fault:
        raise UserError(f"{path}: {fault}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path} cannot be read; sign in anew: guildhall login URL") from None
    keyring = keyring_of_user()
    token = None if keyring is None else keyring.find(told["url"])
    if token is None:
        raise UserError(
            f"the keyring does not give the token out; sign in anew: guildhall login {told['url']}"
        )
    return Session(told["url"], token)


@contextmanager
def connected(session: Session | None = None) -> "Iterator[Client]":
    """Yields a client of the hall; what it refuses is said in one line."""
    from guildhall_client import Client, Problem, Unauthenticated, Unreachable

    session = session or current()
    try:
        with Client(session.url, token=session.token or None) as hall:
            yield hall
    except Unauthenticated as refusal:
        again = "" if not session.token else f"; sign in anew: guildhall login {session.url}"
        raise UserError(f"{_line(refusal)}{again}") from None
    except Problem as refusal:
        raise UserError(_line(refusal)) from None
    except (Unreachable, ValueError) as fault:
        raise UserError(_one_line(str(fault))) from None


def _line(refusal: Exception) -> str:
    detail = str(getattr(refusal, "detail", refusal))
    faults = [f"{one.pointer} {one.message}" for one in getattr(refusal, "errors", ())]
    return _one_line("; ".join([detail, *faults]))


def _one_line(text: str) -> str:
    return " ".join(text.split())[:1000]


def in_hall(work: "Callable[[Client], int | None]") -> int | None:
    """Does something in the hall of the session."""
    with connected() as hall:
        return work(hall)
