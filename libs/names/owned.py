"""Names of several owners that share one space, as variables do: each owner's begin with a prefix."""

from collections.abc import Sequence
from typing import NamedTuple


class OwnedNames(NamedTuple):
    """The names of one owner; some may lack its prefix, and an owner without one has any."""

    owner: str
    prefix: str | None
    names: Sequence[str]


def claim_fault(label: str, name: str, own: OwnedNames, others: Sequence[OwnedNames]) -> str | None:
    """Returns why a name, which is among its owner's, cannot stand beside those of others; None if it can.

    Nor may it look like another's: only one of `a` and `a-b` has names that begin with `A_B_`.
    """
    taken = next((other.owner for other in others if name in other.names), None)
    if taken is not None:
        return f"the {label} {name} is declared by {own.owner}, but {taken} declares it already"
    if own.names.count(name) > 1:
        return f"the {label} {name} is declared twice"
    for other in others:
        if (fault := _confusion(label, name, own, other)) is not None:
            return fault
    return None


def _confusion(label: str, name: str, own: OwnedNames, other: OwnedNames) -> str | None:
    if own.prefix is None or other.prefix is None:
        return None
    if other.prefix.startswith(own.prefix) and name.startswith(other.prefix):
        passes = f"would pass for one of {other.owner}, whose {label}s begin with {other.prefix}"
        return f"the {label} {name} {passes}"
    theirs = next((one for one in other.names if one.startswith(own.prefix)), None)
    if own.prefix.startswith(other.prefix) and theirs is not None:
        begins = f"begin with {own.prefix}, and so does {theirs} of {other.owner}"
        return f"its {label}s {begins}: give {own.owner} another id"
    return None
