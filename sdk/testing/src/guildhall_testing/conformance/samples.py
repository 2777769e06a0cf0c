"""Real ids for path parameters, and valid bodies, from what the plugins declare."""

import itertools
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from guildhall_sdk import Factory, Route, SampleClient
from guildhall_testing.conformance.failure import ConformanceFailure

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_REFUSED = 400
_PARAMETER = re.compile(r"[:*](\w+)")


def new_canary() -> str:
    return f"canary{secrets.token_hex(8)}"


@dataclass(frozen=True, slots=True)
class PathParameter:
    """One parameter of a path: its name, the path up to it, and who makes ids for it."""

    name: str
    at: str
    factory: Factory | None

    @property
    def tenant(self) -> bool:
        return self.factory is not None and self.factory.tenant


def parameters_of(path: str, factories: Sequence[Factory]) -> list[PathParameter]:
    """Returns the parameters of a path in order, matched by place, whatever they are called.

    The last of them is made by the factory of the whole path, where that has one of its own.
    """
    by_place = {_PARAMETER.sub(":", factory.at): factory for factory in factories}
    found = []
    for match in _PARAMETER.finditer(path):
        at = path[: match.end()]
        found.append(PathParameter(match[1], at, by_place.get(_PARAMETER.sub(":", at))))
    if found and (own := by_place.get(_PARAMETER.sub(":", path))) is not None:
        found[-1] = replace(found[-1], factory=own)
    return found


def fill(path: str, ids: Sequence[str]) -> str:
    remaining = iter(ids)
    return _PARAMETER.sub(lambda _: next(remaining), path)


class SampleRefused(Exception):
    """Raised where the server refuses what a factory asks for, in the words of the refusal."""


class SampleCalls:
    """Calls for a factory, as `SampleClient`, and raises what is refused: no id can come of it."""

    def __init__(self, client: SampleClient) -> None:
        self._client = client

    @property
    def user_id(self) -> str:
        return self._client.user_id

    async def call(
        self, method: str, path: str, body: Any = None, *, may_refuse: bool = False, **headers: str
    ) -> tuple[int, Mapping[str, Any]]:
        status, answer = await self._client.call(method, path, body, may_refuse=may_refuse, **headers)
        if status >= _REFUSED and not may_refuse:
            faults = [f"{one['pointer']} {one['message']}" for one in answer.get("errors", ())]
            said = "; ".join([str(answer.get("detail", "")), *faults])
            raise SampleRefused(f"{method} {path} answered {status} {answer.get('code', '')}: {said}")
        return status, answer


async def make_ids(parameters: Sequence[PathParameter], maker: SampleClient, canary: str) -> list[str]:
    """Makes one id per parameter; a maker for a nested path may give its parents' ids too, by `/`."""
    ids: list[str] = []
    for parameter in parameters:
        if parameter.factory is None:
            raise ConformanceFailure(
                f"no factory makes an id for {parameter.at}; declare one: Factory({parameter.at!r}, make)"
            )
        try:
            made = await parameter.factory.make(SampleCalls(maker), canary)
        except SampleRefused as refusal:
            raise ConformanceFailure(f"the factory for {parameter.at} failed: {refusal}") from None
        except Exception as error:
            raise ConformanceFailure(f"the factory for {parameter.at} failed: {error!r}") from error
        parts = made.split("/")
        several = len(parts) == len(ids) + 1 and len(parts) > 1
        ids = parts if several else [*ids, made]
    return ids


def never_existed(real: str) -> str:
    """Returns an id of this form that nobody ever had."""
    prefix, underscore, rest = real.rpartition("_")
    if not underscore:
        return f"{real}-{secrets.token_hex(4)}"
    return prefix + underscore + "".join(secrets.choice(_ALPHABET) for _ in rest)


def mixes(parameters: Sequence[PathParameter]) -> Iterator[tuple[bool, ...]]:
    """Yields every choice of own and foreign (True) ids with a foreign one; shared names are never so."""
    choices = [(False, True) if parameter.tenant else (False,) for parameter in parameters]
    return (mix for mix in itertools.product(*choices) if any(mix))


def example_body(row: Route) -> Mapping[str, Any] | None:
    """Returns a valid body of this row, or None where it takes none."""
    if not row.body:
        return None
    examples = row.body.get("examples") or ()
    if not examples:
        raise ConformanceFailure("the body has no example; give obj(…, example={…}) one that is valid")
    example: Mapping[str, Any] = examples[0]
    return example
