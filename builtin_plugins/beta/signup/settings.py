"""What an operator decides about signing up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from builtin_plugins.beta.signup.emails import read_domains, shipped_domains
from guildhall_sdk import Setting
from guildhall_sdk.settings import path

_MAX_FILE = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class DomainFile:
    """A list of domains in a file of the operator, or the shipped one where `path` is empty."""

    path: str
    domains: frozenset[str]

    def __str__(self) -> str:
        return self.path


def domain_file(given: str) -> DomainFile:
    """Reads the file; raises `ValueError` with one line that says what is wrong and where."""
    try:
        with path(given).open("rb") as opened:
            content = opened.read(_MAX_FILE + 1)
    except OSError as error:
        raise ValueError(f"names {given}, which cannot be read: {error.strerror}") from None
    if len(content) > _MAX_FILE:
        raise ValueError(f"names {given}, which has more than {_MAX_FILE // 1024 // 1024} MiB")
    try:
        return DomainFile(given, read_domains(content.decode()))
    except UnicodeDecodeError:
        raise ValueError(f"names {given}, which is not UTF-8 text") from None
    except ValueError as error:
        raise ValueError(f"names {given}, of which {error}") from None


DISPOSABLE_DOMAINS: Setting[DomainFile] = Setting(
    name="disposable_domains",
    help="path of a file, one domain a line: whose e-mail addresses are taken for ones to throw away",
    default=DomainFile("", shipped_domains()),
    parse=domain_file,
)
SETTINGS: Sequence[Setting[Any]] = (DISPOSABLE_DOMAINS,)
