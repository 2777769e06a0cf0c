"""From claims to roles in teams: which rules hold, and what they give together."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from builtin_plugins.sign_in.way import Admission, Rule
from guildhall_sdk.principal import is_demotion

MAX_VALUES = 2000


class Given(NamedTuple):
    """A role in a team, by the number of the rule that gives it, or None where it is the way's default."""

    team: str | None
    role: str
    rule: int | None


def values_of(claims: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yields the values of a claim; a name with dots leads into nested ones where no claim is called so.

    A text is one value and its words are values too, as scopes and groups are written.
    """
    found: Any = claims.get(name)
    if found is None and "." in name:
        found = claims
        for part in name.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        yield found
        yield from found.replace(",", " ").split()[:MAX_VALUES]
    elif isinstance(found, bool):
        yield "true" if found else "false"
    elif isinstance(found, int):
        yield str(found)
    elif isinstance(found, Sequence):
        yield from (str(one) for one in found[:MAX_VALUES] if isinstance(one, str | int))


def holds(rule: Rule, claims: Mapping[str, Any]) -> bool:
    """Tells whether a claim has the value, whole and as it is written."""
    return any(value == rule.contains for value in values_of(claims, rule.claim))


def roles_given(admission: Admission, claims: Mapping[str, Any]) -> Sequence[Given]:
    """Returns the role in each team: the highest that a rule gives there, else the way's default."""
    given = dict[str | None, Given]()
    for number, rule in enumerate(admission.rules):
        team = rule.team or admission.team
        before = given.get(team)
        if holds(rule, claims) and (before is None or is_demotion(rule.role, before.role)):
            given[team] = Given(team, rule.role, number)
    if admission.default_role is not None and admission.team not in given:
        given[admission.team] = Given(admission.team, admission.default_role, None)
    return [*given.values()]
