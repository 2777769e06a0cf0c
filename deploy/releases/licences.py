"""The packages that a server runs with and their licences: `python -m deploy.releases.licences`."""

import re
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package; `needs` are the names of others of the same list."""

    name: str
    version: str
    licence: str
    #: Whether `licence` is an expression of SPDX and not free words.
    is_expression: bool
    needs: tuple[str, ...]
    #: Whether a server runs without it.
    optional: bool = False


def needed(name: str, extras: frozenset[str] = frozenset()) -> list[Package]:
    """Returns what a package needs, itself first; what the extras need where that is installed."""
    found: dict[str, Package] = {}
    _collect(name, frozenset(), False, found)
    for extra in sorted(extras):
        _collect(name, frozenset({extra}), True, found)
    return [*found.values()]


def normalized(name: str) -> str:
    """Returns the name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _collect(name: str, extras: frozenset[str], optional: bool, found: dict[str, Package]) -> None:
    waiting = [(name, extras)]
    while waiting:
        one, wanted = waiting.pop(0)
        try:
            package = distribution(one)
        except PackageNotFoundError:
            continue  # of another system, or an extra that is not installed
        key = normalized(one)
        wants = _requirements(package, wanted)
        if key not in found or wanted:
            known = found.get(key)
            needs = {normalized(need) for need, _ in _requirements(package, frozenset())}
            found[key] = known or _described(package, key, tuple(sorted(needs)), optional)
            waiting += [want for want in wants if normalized(want[0]) not in found or want[1]]


def _described(package: Distribution, name: str, needs: tuple[str, ...], optional: bool) -> Package:
    metadata = package.metadata
    expression, stated = (
        next(iter(metadata.get_all(one, [])), None) for one in ("License-Expression", "License")
    )
    classifiers = [line for line in metadata.get_all("Classifier", []) if "License ::" in line]
    named = ", ".join(line.rsplit(" :: ", 1)[-1] for line in classifiers)
    stated = expression or named or stated or "unknown"
    return Package(name, package.version, stated.splitlines()[0], expression is not None, needs, optional)


def _requirements(package: Distribution, extras: frozenset[str]) -> list[tuple[str, frozenset[str]]]:
    wants = []
    for line in package.requires or ():
        condition = _EXTRA.search(line)
        match = _REQUIREMENT.match(line)
        if match is None or (condition is not None and condition[1] not in extras):
            continue
        named = frozenset(part.strip() for part in (match[2] or "").split(",") if part.strip())
        wants.append((match[1], named))
    return wants


if __name__ == "__main__":
    for package in sorted(needed("guildhall-server"), key=lambda one: one.name):
        sys.stdout.write(f"{package.name}  {package.version}  {package.licence}\n")
