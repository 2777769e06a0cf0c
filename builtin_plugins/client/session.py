"""The hall that the commands work in: its address and token, in a file for its owner alone."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from guildhall_sdk import UserError
from libs.private_files import NotPrivate, create_private, read_private

if TYPE_CHECKING:
    from guildhall_client import Client

URL_VARIABLE, TOKEN_VARIABLE = "GUILDHALL_URL", "GUILDHALL_TOKEN"
_MAX_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Session:
    """Where somebody is signed in."""

    url: str
    token: str = field(repr=False)


def session_file() -> Path:
    """Returns where the session is kept, as other programs keep what is a user's own."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home, "guildhall", "session.json")


def store(session: Session) -> Path:
    """Writes the session, readable for its owner alone, in place of the one before."""
    path = session_file()
    path.unlink(missing_ok=True)
    create_private(path, json.dumps({"url": session.url, "token": session.token}))
    return path


def current() -> Session:
    """Returns the session of the environment, or of the last login."""
    url, token = os.environ.get(URL_VARIABLE), os.environ.get(TOKEN_VARIABLE)
    if url and token:
        return Session(url, token)
    path = session_file()
    try:
        told = json.loads(read_private(path, _MAX_CHARACTERS))
        return Session(told["url"], told["token"])
    except FileNotFoundError:
        raise UserError("nobody is signed in here; begin with: guildhall login URL") from None
    except NotPrivate as fault:
        raise UserError(f"{path}: {fault}") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"{path} cannot be read; sign in anew: guildhall login URL") from None


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
