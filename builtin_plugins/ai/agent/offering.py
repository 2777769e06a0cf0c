"""Which tools a model is offered: those that are named, or of many those that match the prompt best."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any, NamedTuple

from guildhall_sdk import InvalidRequest, Principal, Problem
from guildhall_sdk.errors import ToolDisabled
from libs.fair_slots import TEXTS

MAX_OFFERED = 32
# What is compared of a prompt and of a description: enough to tell tools apart, little to read.
_PROMPT_CHARACTERS = 20_000
_DESCRIPTION_CHARACTERS = 1_000
_NAME_WEIGHT = 3.0
_WORD = re.compile(r"[^\W_]+")
# Words that share so many letters are forms of one: file, files; translate, translation.
_STEM = 5


class Offer(NamedTuple):
    """`functions` as chat completions have them, by name; `listed` are all tools that the team can see."""

    functions: Mapping[str, Mapping[str, Any]]
    listed: frozenset[str]
    not_offered: Sequence[str] = ()

    def tools(self) -> list[dict[str, Any]]:
        """Returns what a turn is given as its `tools`."""
        return [{"type": "function", "function": function} for function in self.functions.values()]


async def choose_tools(
    listing: Sequence[Mapping[str, Any]],
    principal: Principal,
    prompt: str | Sequence[Mapping[str, Any]],
    named: Sequence[str] | None,
    missing: Callable[[str], Problem],
) -> Offer:
    """Returns the offer from the team's list. Raises `ToolDisabled`, and what `missing` says of other names.

    A named tool is offered whatever the caller may: each call is checked when it is made.
    """
    if named is not None:
        return _named(listing, named, missing)
    permitted = [tool for tool in listing if tool["enabled"] and principal.may(tool["permission"])]
    listed = frozenset(tool["name"] for tool in listing)
    if len(permitted) <= MAX_OFFERED:
        return Offer({tool["name"]: tool["schema"] for tool in permitted}, listed)
    best = await TEXTS.run(principal.org_id, best_names, permitted, text_of(prompt))
    functions = {tool["name"]: tool["schema"] for tool in permitted if tool["name"] in best}
    return Offer(functions, listed, [tool["name"] for tool in permitted if tool["name"] not in best])


def _named(
    listing: Sequence[Mapping[str, Any]], named: Sequence[str], missing: Callable[[str], Problem]
) -> Offer:
    by_name = {tool["name"]: tool for tool in listing}
    for number, name in enumerate(named):
        if name not in by_name:
            if (why := missing(name)).code != "unknown_tool":
                raise why
            raise InvalidRequest(
                f"There is no tool {name[:80]!r}; GET /api/tools lists those that there are.",
                code="unknown_tool",
                errors=[{"pointer": f"/tools/{number}", "message": "there is no such tool"}],
            )
        if not by_name[name]["enabled"]:
            raise ToolDisabled(name)
    return Offer({name: by_name[name]["schema"] for name in named}, frozenset(by_name))


def text_of(prompt: str | Sequence[Mapping[str, Any]]) -> str:
    """Returns the words of a prompt without documents; of a long one its beginning and its end."""
    parts = (
        [prompt] if isinstance(prompt, str) else [part["text"] for part in prompt if part["type"] == "text"]
    )
    text = "\n".join(parts)
    if len(text) <= _PROMPT_CHARACTERS:
        return text
    half = _PROMPT_CHARACTERS // 2
    return f"{text[:half]} {text[-half:]}"


def best_names(tools: Sequence[Mapping[str, Any]], text: str) -> frozenset[str]:
    """Returns the names of those whose words stand in the text; a word that few tools have weighs more."""
    wanted = _stems(text)
    named = [_stems(tool["name"]) & wanted for tool in tools]
    described = [_stems(_description(tool)) & wanted for tool in tools]
    frequency = Counter(stem for pair in zip(named, described, strict=True) for stem in pair[0] | pair[1])
    weights = {stem: log(1 + len(tools) / count) for stem, count in frequency.items()}

    def score(number: int) -> float:
        by_name = sum(weights[stem] for stem in named[number])
        return _NAME_WEIGHT * by_name + sum(weights[stem] for stem in described[number])

    ranked = sorted(range(len(tools)), key=lambda number: (-score(number), tools[number]["name"]))
    return frozenset(tools[number]["name"] for number in ranked[:MAX_OFFERED])


def _description(tool: Mapping[str, Any]) -> str:
    properties = tool["schema"]["parameters"].get("properties")
    names = " ".join(properties) if isinstance(properties, Mapping) else ""
    return f"{tool['description'][:_DESCRIPTION_CHARACTERS]} {names[:_DESCRIPTION_CHARACTERS]}"


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _WORD.findall(text.casefold()))
