"""A Markdown text in paragraphs: what is translated, what stays, and whether a translation kept its form."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from guildhall_sdk.dataclass import dataclass
from guildhall_sdk.lazy_patterns import lazy_pattern

#: The longest piece that is translated in one turn: a model cuts a longer answer short.
MAX_PIECE = 4_000

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKER = lazy_pattern(r"[ \t]*(?:#{1,6}[ \t]+|(?:>[ \t]?)+|[-*+][ \t]+|\d{1,9}[.)][ \t]+)?")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_PLACEHOLDER = lazy_pattern(
    r"\{\{[^{}\n]{0,200}\}\}|\$?\{[A-Za-z_][\w.]{0,100}\}|%\([A-Za-z_]\w{0,100}\)[sd]|\]\([^()\s]{1,500}\)?"
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines without a blank one between them, and the blank ones after; some are not for translating."""

    text: str
    after: str
    translatable: bool


def split_paragraphs(text: str) -> list[Paragraph]:
    """Splits a text so that the paragraphs put together again are the text; code and front matter stay."""
    found: list[Paragraph] = []
    lines = text.split("\n")
    at = _front_matter_end(lines)
    if at:
        at = _add(found, lines, 0, at, translatable=False)
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence is not None:
            at = _add(found, lines, at, _fence_end(lines, at, fence.group(1)), translatable=False)
            continue
        end = at
        while end < len(lines) and lines[end].strip() and (end == at or _FENCE.match(lines[end]) is None):
            end += 1
        # Nothing but blank lines is a paragraph of its own, at the beginning of a text.
        at = _add(found, lines, at, end, translatable=_has_words(lines[at:end]))
    return found


def _add(found: list[Paragraph], lines: Sequence[str], at: int, end: int, *, translatable: bool) -> int:
    """Adds the lines up to `end` as a paragraph, with the blank ones after; returns where the next begins."""
    following = end
    while following < len(lines) and not lines[following].strip():
        following += 1
    last = following == len(lines)
    whole = "\n".join(lines[at:following]) + ("" if last else "\n")
    text = "\n".join(lines[at:end])
    pieces = [*_cut(text)] if translatable else [text]
    for piece in pieces[:-1]:
        ended = piece.rstrip()
        found.append(Paragraph(ended, piece[len(ended) :], translatable))
    found.append(Paragraph(pieces[-1], whole[len(text) :], translatable))
    return following


def groups(paragraphs: Sequence[Paragraph]) -> Iterator[Sequence[Paragraph]]:
    """Yields the paragraphs in groups: those that follow one another and are translated in one turn."""
    group: list[Paragraph] = []
    size = 0
    for paragraph in paragraphs:
        joins = paragraph.translatable and group and group[-1].translatable and group[-1].after
        if group and not (joins and size + len(paragraph.text) <= MAX_PIECE):
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


def _fence_end(lines: Sequence[str], at: int, fence: str) -> int:
    for end in range(at + 1, len(lines)):
        closing = _FENCE.match(lines[end])
        if closing is not None and closing.group(1).startswith(fence) and not lines[end].strip("`~ \t\r"):
            return end + 1
    return len(lines)


def _has_words(lines: Sequence[str]) -> bool:
    return any(char.isalpha() for line in lines for char in line)


def _cut(text: str) -> Iterator[str]:
    """Yields a long paragraph in pieces: at the end of a line, a sentence or a word, or else anywhere."""
    while len(text) > MAX_PIECE:
        end = 0
        for sign in ("\n", ". ", " "):
            end = text.rfind(sign, MAX_PIECE // 2, MAX_PIECE) + len(sign)
            if end >= len(sign):
                break
        else:
            end = MAX_PIECE
        yield text[:end]
        text = text[end:]
    yield text
