"""A Markdown text in paragraphs: what is translated, what stays, and whether a translation kept its form."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from libs.fair_slots import Steps

#: The longest piece that is translated in one turn: a model cuts a longer answer short.
MAX_PIECE = 4_000

# Lines that are looked at in a few milliseconds.
_LINES_PER_STEP = 2_000
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKER = re.compile(r"[ \t]*(?:#{1,6}[ \t]+|(?:>[ \t]?)+|[-*+][ \t]+|\d{1,9}[.)][ \t]+)?")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_PLACEHOLDER = re.compile(
    r"\{\{[^{}\n]{0,200}\}\}|\$?\{[A-Za-z_][\w.]{0,100}\}|%\([A-Za-z_]\w{0,100}\)[sd]|\]\([^()\s]{1,500}\)?"
)


class Paragraph(NamedTuple):
    """Lines without a blank one between them, and the blank ones after; some are not for translating."""

    text: str
    after: str
    translatable: bool


def split_paragraphs(text: str) -> Steps[list[Paragraph]]:
    """Splits a text so that the paragraphs put together again are the text; code and front matter stay."""
    found: list[Paragraph] = []
    lines = text.split("\n")
    at = _front_matter_end(lines)
    if at:
        at = yield from _add(found, lines, 0, at, translatable=False)
    step_end = _LINES_PER_STEP
    while at < len(lines):
        if at >= step_end:
            step_end = at + _LINES_PER_STEP
            yield
        fence = _FENCE.match(lines[at])
        if fence is not None:
            end = yield from _fence_end(lines, at, fence.group(1))
            at = yield from _add(found, lines, at, end, translatable=False)
            continue
        end, has_words = at, False
        while end < len(lines) and lines[end].strip() and (end == at or _FENCE.match(lines[end]) is None):
            has_words = has_words or any(map(str.isalpha, lines[end]))
            end += 1
            if end % _LINES_PER_STEP == 0:
                yield
        # Nothing but blank lines is a paragraph of its own, at the beginning of a text.
        at = yield from _add(found, lines, at, end, translatable=has_words)
    return found


def _add(
    found: list[Paragraph], lines: Sequence[str], at: int, end: int, *, translatable: bool
) -> Steps[int]:
    """Adds the lines up to `end` as a paragraph, with the blank ones after; returns where the next begins."""
    following = end
    while following < len(lines) and not lines[following].strip():
        following += 1
        if following % _LINES_PER_STEP == 0:
            yield
    last = following == len(lines)
    whole = "\n".join(lines[at:following]) + ("" if last else "\n")
    text = "\n".join(lines[at:end])
    pieces = [*_cut(text)] if translatable else [text]
    for piece in pieces[:-1]:
        ended = piece.rstrip()
        found.append(Paragraph(ended, piece[len(ended) :], translatable))
    found.append(Paragraph(pieces[-1], whole[len(text) :], translatable))
    return following


def split_groups(text: str) -> Steps[list[Sequence[Paragraph]]]:
    """Splits a text into paragraphs, and these into groups: those of one are translated in one turn."""
    paragraphs = yield from split_paragraphs(text)
    found: list[Sequence[Paragraph]] = []
    since = 0
    for group in groups(paragraphs):
        found.append(group)
        since += len(group)
        if since >= _LINES_PER_STEP:
            since = 0
            yield
    return found


def groups(paragraphs: Sequence[Paragraph]) -> Iterator[Sequence[Paragraph]]:
    """Yields the paragraphs in groups: those that follow one another and are treated alike.

    Of those that are translated no more come together than fit into one turn.
    """
    group: list[Paragraph] = []
    size = 0
    for paragraph in paragraphs:
        alike = 0 < len(group) < _LINES_PER_STEP and paragraph.translatable == group[-1].translatable
        joins = alike and (
            not paragraph.translatable or (group[-1].after and size + len(paragraph.text) <= MAX_PIECE)
        )
        if group and not joins:
            yield group
            group, size = [], 0
        group.append(paragraph)
        size += len(paragraph.text)
    if group:
        yield group


def divided(translation: str, sources: Sequence[Paragraph]) -> list[str] | None:
    """Divides the translation of a group by its sources; None where its form is not theirs."""
    parts = _BLANK_LINES.split(translation.strip("\n"))
    if len(parts) != len(sources):
        return None
    pairs = [*zip(sources, parts, strict=True)]
    if all(is_faithful(source.text, part) and _same_marker(source.text, part) for source, part in pairs):
        return parts
    return None


def is_faithful(source: str, translation: str) -> bool:
    """Tells whether a translation has the placeholders and the addresses of its source, and no others."""
    return bool(translation.strip()) and _placeholders(source) == _placeholders(translation)


def formed_like(source: str, translation: str) -> str:
    """Returns the translation of one paragraph as one, with the mark of a heading or an item before it."""
    whole = _BLANK_LINES.sub("\n", translation.strip("\n"))
    if _same_marker(source, whole):
        return whole
    return _marker(source) + whole.lstrip()


def _placeholders(text: str) -> Counter[str]:
    return Counter(_PLACEHOLDER.findall(text))


def _marker(text: str) -> str:
    match = _MARKER.match(text)
    return "" if match is None else match.group()


def _same_marker(source: str, translation: str) -> bool:
    return _marker(source).strip() == _marker(translation).strip()


def _front_matter_end(lines: Sequence[str]) -> int:
    if lines[0].rstrip() != "---":
        return 0
    for at in range(1, min(len(lines), 200)):
        if lines[at].rstrip() in ("---", "..."):
            return at + 1
    return 0


def front_matter(text: str) -> str:
    """Returns the front matter that a text begins with, to the end of its last line; empty without any."""
    lines = text.split("\n", 200)
    return "\n".join(lines[: _front_matter_end(lines)])


def _fence_end(lines: Sequence[str], at: int, fence: str) -> Steps[int]:
    for end in range(at + 1, len(lines)):
        closing = _FENCE.match(lines[end])
        if closing is not None and closing.group(1).startswith(fence) and not lines[end].strip("`~ \t\r"):
            return end + 1
        if end % _LINES_PER_STEP == 0:
            yield
    return len(lines)


def _cut(text: str) -> Iterator[str]:
    """Yields a long paragraph in pieces: at the end of a line, a sentence or a word, or else anywhere."""
    start = 0
    while len(text) - start > MAX_PIECE:
        end = start + MAX_PIECE
        for sign in ("\n", ". ", " "):
            place = text.rfind(sign, start + MAX_PIECE // 2, start + MAX_PIECE)
            if place != -1:
                end = place + len(sign)
                break
        yield text[start:end]
        start = end
    yield text[start:]
