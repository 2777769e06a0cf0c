"""The kind `ldap`: people sign in here with the password that a company's directory knows."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from builtin_plugins.ldap.directory import Directory, claims_of
from builtin_plugins.ldap.settings import NAME, check, reachable
from guildhall_sdk import Host, Problem
from guildhall_sdk.errors import Unavailable
from guildhall_sdk.schema import string
from guildhall_sdk.services.sign_in import SignInKind, SignInProof, SignInStep, SignInWay

#: One directory is asked by so many people at once, and all wait for so long.
AT_ONCE = 4
WAIT_SECONDS = 15.0
LONGEST_NAME = 256
LONGEST_PASSWORD = 1024

Result = TypeVar("Result")
_text = string(min_length=1, max_length=1000)
_turns: "WeakValueDictionary[tuple[int, str], asyncio.Semaphore]" = WeakValueDictionary()


async def _in_turn(way: SignInWay, work: Callable[..., Result], *arguments: Any) -> Result:
    """Runs work on a thread; a directory that is slow keeps those of other companies from nothing."""
    key = (id(asyncio.get_running_loop()), way.id)
    turn = _turns.get(key)
    if turn is None:
        _turns[key] = turn = asyncio.Semaphore(AT_ONCE)
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            await turn.acquire()
    except TimeoutError:
        raise Unavailable("The directory is busy; try again in a moment.") from None
    try:
        return await asyncio.to_thread(work, *arguments)
    finally:
        turn.release()


async def _directory(host: Host, way: SignInWay) -> Directory:
    return Directory(await reachable(host, way.settings["url"]), way.settings)


async def authenticate(host: Host, way: SignInWay, username: str, password: str) -> SignInProof | None:
    """Returns who a name and a password are of, or None where one is wrong."""
    if not username.strip() or len(username) > LONGEST_NAME or len(password) > LONGEST_PASSWORD:
        return None
    directory = await _directory(host, way)
    found = await _in_turn(way, directory.sign_in, username, password)
    if found is None:
        return None
    entry, groups = found
    return SignInProof(subject=entry.subject, claims=claims_of(entry, username, groups))


async def test(host: Host, way: SignInWay) -> Sequence[SignInStep]:
    """Tries the address, the account that looks people up, and the two places in the tree."""
    directory = await _directory(host, way)
    return await _in_turn(way, _tried, directory, way)


def _tried(directory: Directory, way: SignInWay) -> Sequence[SignInStep]:
    steps: list[SignInStep] = []
    settings = way.settings
    try:
        with directory.connected(settings.get("bind_dn"), settings.get("bind_password")) as connection:
            steps.append(SignInStep("connect", True, f"Connected to {settings['url']}."))
            if not connection.bound:
                said = connection.result.get("description", "refused")
                return [*steps, SignInStep("bind", False, f"The directory answers: {said}.")]
            steps.append(SignInStep("bind", True, "The account that looks people up may sign in."))
            for name, label in (("base_dn", "people"), ("group_base_dn", "groups")):
                if settings.get(name):
                    count = directory.count_below(connection, settings[name])
                    said = f"{count} entries below {settings[name]}" + (" or more." if count == 100 else ".")
                    steps.append(SignInStep(label, count > 0, said))
    except Problem as problem:
        steps.append(SignInStep("read" if steps else "connect", False, problem.detail))
    return steps


KIND = SignInKind(
    name="ldap",
    fields={
        "url": {
            **_text,
            "title": "ldap.url",
            "description": "ldaps://host, or ldap://host, which begins TLS by itself",
        },
        "bind_dn": {
            **_text,
            "title": "ldap.bind_dn",
            "description": "Who looks people up; without one nobody in particular does",
        },
        "bind_password": {**_text, "title": "ldap.bind_password"},
        "base_dn": {
            **_text,
            "title": "ldap.base_dn",
            "description": "Where people are found, such as ou=people,dc=acme,dc=test",
        },
        "user_filter": {**_text, "title": "ldap.user_filter", "description": f"Such as (uid={NAME})"},
        "group_base_dn": {
            **_text,
            "title": "ldap.group_base_dn",
            "description": "Where groups are found; rules read the claim groups",
        },
        "ca": {
            **string(min_length=1, max_length=100_000),
            "title": "ldap.ca",
            "description": "The certificate in PEM that vouches for the directory's own",
        },
    },
    required=("url", "base_dn"),
    secrets=("bind_password",),
    anchors=("url", "base_dn"),
    check=check,
    test=test,
    authenticate=authenticate,
)
