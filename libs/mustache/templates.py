"""Mustache templates without partials, lambdas or files, at a cost that is bounded by their length.

A template is compiled once: `compile_template(text, escape=escape_markdown).render(data)`. Data are JSON.
What `{{x}}` stands for is escaped by the function that the template was compiled with, `{{{x}}}` and `{{&x}}`
are not. Absent, null, false, an empty text and an empty list are false; everything else is true, 0 too.
"""

import html
import json
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

MAX_TEMPLATE_CHARACTERS = 256 * 1024
MAX_TAGS = 10_000
MAX_NESTING = 100
MAX_NAME = 500
#: In bytes of UTF-8.
MAX_OUTPUT = 1024 * 1024
#: Tags that are rendered, and contexts that are searched for a name.
MAX_STEPS = 2_000_000
_STEPS_AT_ONCE = 20_000

Escape = Callable[[str], str]
_Path = tuple[str, ...]
_Kind = Literal["text", "value", "raw", "section", "inverted", "end"]
_ABSENT = object()
_DELIMITERS = re.compile(r"\s*([^\s=]{1,20})\s+([^\s=]{1,20})\s*")
_MARKDOWN = re.compile(
    r"""[\\`*_\[\]<|]                      # wherever they stand
    | ~(?=~) | (?<=~)~                     # what is struck out
    | &(?=\#?[A-Za-z0-9]{1,32};)           # a character by its name
    | ^[ ]{0,3}(?:>|\#{1,6}(?=\s|$)|[+-](?=\s|$)|(?:-[ ]?){2,}[ ]*$|=+[ ]*$|[0-9]{1,9}[.)](?=\s|$))
    """,
    re.VERBOSE | re.MULTILINE,
)


class TemplateRefused(ValueError):
    """Raised for a template that cannot be taken, or whose output would be too long.

    `detail` says where and why; `code` is `invalid_template` or `output_too_large`.
    """

    def __init__(self, detail: str, code: str = "invalid_template") -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code


class _Step(NamedTuple):
    """One piece of a template. A section knows where it ends, and an end where it began."""

    kind: _Kind
    text: str = ""
    path: _Path = ()
    other: int = -1


@dataclass(frozen=True, slots=True)
class Template:
    """A template that was compiled."""

    escape: Escape
    steps: tuple[_Step, ...]

    def render(self, data: Any) -> str:
        """Returns the template filled with data; raises `TemplateRefused` `output_too_large`."""
        steps = self.render_steps(data)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                text: str = end.value
                return text

    def render_steps(self, data: Any) -> Generator[None, None, str]:
        """Renders in steps, between which others may use the thread; the last returns the text."""
        return _Rendering(self, data).run()


def compile_template(text: str, *, escape: Escape, raw: bool = True) -> Template:
    """Reads a template; raises `TemplateRefused`. Without `raw`, so is one that leaves values unescaped."""
    if len(text) > MAX_TEMPLATE_CHARACTERS:
        raise TemplateRefused(f"The template has more than {MAX_TEMPLATE_CHARACTERS:,} characters.")
    return Template(escape, tuple(_Compiling(text, raw).run()))


def escape_html(text: str) -> str:
    """Escapes a text for HTML, inside of elements and of quoted attributes."""
    return html.escape(text)


def escape_markdown(text: str) -> str:
    """Escapes the signs that mean something in Markdown, where they stand so that they would."""
    return _MARKDOWN.sub(_backslashed, text)


def _backslashed(match: re.Match[str]) -> str:
    """Escapes the last sign of what was found: of `1.` the dot, of `##` the first."""
    found = match.group()
    bare = found.lstrip(" ")
    indent = found[: len(found) - len(bare)]
    return f"{indent}{bare[:-1]}\\{bare[-1]}" if bare[:1].isdigit() else f"{indent}\\{bare}"


class _Compiling:
    """Reads a template from its beginning to its end, once."""

    def __init__(self, text: str, raw: bool) -> None:
        self._text = text
        self._raw = raw
        self._left, self._right = "{{", "}}"
        self._steps: list[_Step] = []
        self._open: list[int] = []
        self._line_begins = 0  # where the line of the next tag begins
        self._only_space = True  # whether that line has had nothing but space so far
        self._tags = 0

    def run(self) -> list[_Step]:
        at = 0
        while (begin := self._text.find(self._left, at)) >= 0:
            self._tags += 1
            if self._tags > MAX_TAGS:
                raise TemplateRefused(f"The template has more than {MAX_TAGS:,} tags.")
            at = self._read_tag(at, begin)
        self._add_text(self._text[at:])
        if self._open:
            step = self._steps[self._open[-1]]
            raise TemplateRefused(f"The section {'.'.join(step.path)!r} has no end.")
        return self._steps

    def _read_tag(self, at: int, begin: int) -> int:
        """Reads the text before a tag and the tag; returns where the next text begins."""
        text = self._text
        inner = begin + len(self._left)
        sign = text[inner : inner + 1]
        closing = {"{": "}" + self._right, "=": "=" + self._right}.get(sign, self._right)
        end = text.find(closing, inner + (sign in ("{", "=")))
        if end < 0:
            raise self._refuse(begin, "has no end")
        content, after = text[inner:end], end + len(closing)
        self._note_line(at, begin)
        if sign not in ("#", "^", "/", "!", "="):
            self._add_text(text[at:begin])
            self._add_value(begin, sign, content)
            self._only_space = False
            return after
        line_end = self._standalone_end(after)
        self._add_text(text[at : begin if line_end is None else max(at, self._line_begins)])
        self._add_other(begin, sign, content)
        if line_end is None:
            self._only_space = False
            return after
        self._line_begins, self._only_space = line_end, True
        return line_end

    def _note_line(self, at: int, begin: int) -> None:
        """Notes where the line of a tag begins, and whether there is only space before the tag."""
        newline = self._text.rfind("\n", at, begin)
        if newline >= 0:
            self._line_begins, self._only_space = newline + 1, True
        if self._text[max(at, self._line_begins) : begin].strip(" \t"):
            self._only_space = False

    def _standalone_end(self, after: int) -> int | None:
        """Returns where the next line begins, for a tag that has its line for itself."""
        if not self._only_space:
            return None
        newline = self._text.find("\n", after)
        end = len(self._text) if newline < 0 else newline + 1
        rest = self._text[after:end].removesuffix("\n").removesuffix("\r")
        return None if rest.strip(" \t") else end

    def _add_text(self, text: str) -> None:
        if text:
            self._steps.append(_Step("text", text))

    def _add_value(self, begin: int, sign: str, content: str) -> None:
        if sign in (">", "<", "$"):
            raise self._refuse(begin, "is a partial or a block; a template stands alone here")
        unescaped = sign in ("{", "&")
        if unescaped and not self._raw:
            raise self._refuse(begin, "leaves its value unescaped; write {{name}}")
        path = self._path(begin, content[1:] if unescaped else content)
        self._steps.append(_Step("raw" if unescaped else "value", path=path))

    def _add_other(self, begin: int, sign: str, content: str) -> None:
        if sign == "!":
            return
        if sign == "=":
            match = _DELIMITERS.fullmatch(content, 1)
            if match is None:
                raise self._refuse(begin, "is no change of delimiters such as {{=<% %>=}}")
            self._left, self._right = match.groups()
            return
        path = self._path(begin, content[1:])
        if sign == "/":
            self._end_section(begin, path)
            return
        if len(self._open) >= MAX_NESTING:
            raise self._refuse(begin, f"is nested deeper than {MAX_NESTING}")
        self._open.append(len(self._steps))
        self._steps.append(_Step("section" if sign == "#" else "inverted", path=path))

    def _end_section(self, begin: int, path: _Path) -> None:
        if not self._open or self._steps[self._open[-1]].path != path:
            raise self._refuse(begin, "ends no section that is open here")
        opened = self._open.pop()
        step = self._steps[opened]
        self._steps[opened] = _Step(step.kind, path=step.path, other=len(self._steps))
        self._steps.append(_Step("end", path=path, other=opened))

    def _path(self, begin: int, name: str) -> _Path:
        name = name.strip()
        if name == ".":
            return ()
        path = tuple(name.split("."))
        if not all(path) or len(name) > MAX_NAME or len(path) > MAX_NESTING:
            raise self._refuse(begin, "names nothing")
        return path

    def _refuse(self, begin: int, why: str) -> TemplateRefused:
        line = self._text.count("\n", 0, begin) + 1
        tag = self._text[begin : begin + 40].partition("\n")[0]
        return TemplateRefused(f"Line {line}: the tag {tag!r} {why}.")


class _Rendering:
    """Walks the steps of a template; nothing in it is as deep as the data or the template."""

    def __init__(self, template: Template, data: Any) -> None:
        self._template = template
        self._contexts: list[Any] = [data]
        # The items of each open section, and the place of the one that is rendered.
        self._open: list[tuple[Sequence[Any], int]] = []
        self._out: list[str] = []
        self._size = 0
        self._used = 0

    def run(self) -> Generator[None, None, str]:
        steps, at, pause = self._template.steps, 0, _STEPS_AT_ONCE
        while at < len(steps):
            self._use(1)
            if self._used >= pause:
                pause = self._used + _STEPS_AT_ONCE
                yield
            at = self._take(steps[at], at)
        return "".join(self._out)

    def _take(self, step: _Step, at: int) -> int:
        """Renders a step; returns which one follows."""
        if step.kind == "text":
            self._write(step.text)
        elif step.kind == "section":
            return self._begin(step, at)
        elif step.kind == "end":
            return self._end(step, at)
        elif step.kind == "inverted":
            if _is_true(self._find(step.path)):
                return step.other + 1
            self._open.append(((), 0))
        else:
            text = _text_of(self._find(step.path))
            self._write(self._template.escape(text) if step.kind == "value" and text else text)
        return at + 1

    def _begin(self, step: _Step, at: int) -> int:
        value = self._find(step.path)
        if not _is_true(value):
            return step.other + 1
        items = value if isinstance(value, list | tuple) else (value,)
        self._open.append((items, 0))
        self._contexts.append(items[0])
        return at + 1

    def _end(self, step: _Step, at: int) -> int:
        items, place = self._open.pop()
        if not items:  # of an inverted section, which has no context of its own
            return at + 1
        self._contexts.pop()
        if place + 1 == len(items):
            return at + 1
        self._open.append((items, place + 1))
        self._contexts.append(items[place + 1])
        return step.other + 1

    def _find(self, path: _Path) -> Any:
        if not path:
            return self._contexts[-1]
        for context in reversed(self._contexts):
            self._use(1)
            if isinstance(context, Mapping) and path[0] in context:
                value = context[path[0]]
                break
        else:
            return _ABSENT
        for name in path[1:]:
            self._use(1)
            if not isinstance(value, Mapping) or name not in value:
                return _ABSENT
            value = value[name]
        return value

    def _write(self, text: str) -> None:
        self._size += len(text.encode("utf-8", "replace"))
        if self._size > MAX_OUTPUT:
            raise TemplateRefused(
                f"The template and its data make more than {MAX_OUTPUT:,} bytes.", code="output_too_large"
            )
        self._out.append(text)

    def _use(self, steps: int) -> None:
        self._used += steps
        if self._used > MAX_STEPS:
            raise TemplateRefused(
                f"The template and its data take more than {MAX_STEPS:,} steps.", code="output_too_large"
            )


def _is_true(value: Any) -> bool:
    return not (value is _ABSENT or value is None or value is False or value == "" or value == [])


def _text_of(value: Any) -> str:
    if value is _ABSENT or value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)  # 12400, as people write it, also where JSON had 12400.0
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        raise TemplateRefused("A value among the data is nested too deep, or is no JSON.") from None
