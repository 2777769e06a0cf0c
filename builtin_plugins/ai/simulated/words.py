"""What was said in a turn, and by whom; its words and sentences, and which of them say most."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from typing import Any

# What is read of a text: enough for any rule, and never a burden.
MAX_CHARACTERS = 48 * 1024
_MAX_SENTENCES = 2_000
_WORD = re.compile(r"[^\W_]+")
_BREAK = re.compile(r"(?<=[.!?])\s+|\n+")
_ABBREVIATIONS = frozenset({"dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "e.g.", "i.e.", "no.", "vs."})
_STOP_WORDS = """
    a about after all also an and any are as at be been before but by can could de del der des did do
    does een el en er es et for from had has have he her het his how i if in into is it its la las le
    los may me more most my no not of on one or our que she should so some such te than that the their
    them then there these they this those to un una van was we were what when where which who will with
    would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def words(text: str) -> list[str]:
    """Returns the words in small letters."""
    return _WORD.findall(text[:MAX_CHARACTERS].lower())


def stem(word: str) -> str:
    """Returns a word without the ending of a plural or a verb, roughly."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def stems(text: str) -> list[str]:
    """Returns the words that carry meaning, without their endings."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def sentences(text: str) -> list[str]:
    """Sentences and lines, in their order."""
    found: list[str] = []
    for piece in _BREAK.split(text[:MAX_CHARACTERS]):
        last = found[-1].rsplit(None, 1)[-1].lower() if found else ""
        if found and (piece[:1].islower() or last in _ABBREVIATIONS or (len(last) == 2 and last[1] == ".")):
            found[-1] += f" {piece}"
        elif piece.strip():
            found.append(piece.strip())
        if len(found) == _MAX_SENTENCES:
            break
    return found


def summary(text: str, count: int = 3) -> str:
    """Returns the sentences that hold most of what the text speaks about, in their order."""
    found = sentences(text)
    if len(found) <= count:
        return " ".join(found)
    weights = Counter(stems(text))
    scored = [(_weight(stems(one), weights), -place) for place, one in enumerate(found)]
    best = sorted(-place for _, place in nlargest(count, scored))
    return " ".join(found[place] for place in best)


def nearest(text: str, question: str, count: int = 2) -> str:
    """Returns the sentences that share most words with a question; nothing where none shares any."""
    wanted = set(stems(question))
    scored = [(len(wanted & set(stems(one))), -place, one) for place, one in enumerate(sentences(text))]
    best = nlargest(count, [one for one in scored if one[0]])
    top = max((score for score, _, _ in best), default=0)
    return " ".join(one for score, place, one in sorted(best, key=lambda row: -row[1]) if score == top)


def keywords(text: str, count: int = 8) -> Sequence[str]:
    """Returns the words that occur most."""
    counted = Counter(word for word in words(text) if word not in STOP_WORDS and len(word) > 3)
    return [word for word, _ in counted.most_common(count)]


def pieces(name: str) -> Iterator[str]:
    """Yields the words of an identifier: `dueDate`, `due_date` and `due-date` are two."""
    for part in _WORD.findall(name.replace("_", " ")[:200]):
        start = 0
        for place in range(1, len(part)):
            if part[place].isupper() and not part[place - 1].isupper():
                yield part[start:place].lower()
                start = place
        yield part[start:].lower()


def _weight(found: Sequence[str], weights: Counter[str]) -> float:
    return sum(weights[one] for one in set(found)) / (len(found) + 8)


def text_of(message: Mapping[str, Any]) -> str:
    """Returns the text of a message, of all its parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def said_by(messages: Sequence[Mapping[str, Any]], role: str) -> list[str]:
    """Returns the texts of one side, in their order."""
    return [text for one in messages if one.get("role") == role and (text := text_of(one))]


def tool_results(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Returns name and result of each tool that was called since the user spoke last."""
    names: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for message in messages:
        if message.get("role") == "user":
            found = []
        for call_id, name, _ in calls_of(message):
            names[call_id] = name
        if message.get("role") == "tool":
            call_id = str(message.get("tool_call_id", ""))
            found.append((names.get(call_id, str(message.get("name", "tool"))), text_of(message)))
    return found


def calls_of(message: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Returns id, tool and arguments of the calls that a message of the model asked for."""
    found = []
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, Sequence) and not isinstance(calls, str) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            found.append((str(call.get("id", "")), str(function.get("name")), str(function.get("arguments"))))
    return found


def read_json(text: str) -> Any:
    """Returns a value that is written as JSON; None where it is not."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
