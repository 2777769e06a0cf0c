"""The keyring of the user's system, where `keyring` is installed and finds one."""

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

_SERVICE = "guildhall"
#: What `keyring` calls recommended: below are files without a lock, and keyrings that keep nothing.
_LEAST_PRIORITY = 1


@dataclass(frozen=True, slots=True)
class Session:
    """Where somebody is signed in."""

    url: str
    token: str = field(repr=False)


class Keyring:
    """Keeps one token for each hall; what a keyring refuses is as if there were none."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.name = f"the keyring ({getattr(backend, 'name', type(backend).__name__)})"

    def put(self, session: Session) -> bool:
        """Stores a token; returns whether the keyring took it, and gives it out again."""
        try:
            self._backend.set_password(_SERVICE, session.url, session.token)
        except Exception:  # a locked one, or none at all any more: each backend raises its own
            return False
        return self.find(session.url) == session.token

    def find(self, url: str) -> str | None:
        try:
            found = self._backend.get_password(_SERVICE, url)
        except Exception:
            return None
        return found if isinstance(found, str) else None

    def remove(self, url: str) -> None:
        try:
            self._backend.delete_password(_SERVICE, url)
        except Exception:  # it is gone already, or stays where its owner sees it
            return


def keyring_of_user() -> Keyring | None:
    """Returns the user's keyring, or None where nothing would be kept safely."""
    try:
        backend = import_module("keyring").get_keyring()
        return Keyring(backend) if backend.priority >= _LEAST_PRIORITY else None
    except Exception:  # it is not installed, or cannot find out
        return None
