"""What a translation must keep of its source, or it is refused, and what is worth a second look."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from builtin_plugins.l10n.catalogs.files import MAX_TEXT
from builtin_plugins.l10n.patterns import BRANCHED, PLURALS, read_pattern
from builtin_plugins.l10n.warnings import TextWarning, find_warnings
from guildhall_sdk import InvalidRequest
from libs.icu_messages import Argument, Message, MessageFault, parse_message, plural_categories

_Arguments = Mapping[str, Sequence[Argument]]


class CheckedText(NamedTuple):
    """A translation that is taken, and what its author may want to look at again."""

    warnings: Sequence[TextWarning] = ()


def check_text(source: str, text: str, locale: str) -> CheckedText:
    """Holds a translation into a locale against its source, in time that grows with both.

    Raises `InvalidRequest` at `/text`: `placeholder_mismatch` where the arguments differ, `invalid_message`
    where the text is no message in this language. Both name the character, and give it as `place`.
    """
    if len(text) > MAX_TEXT:
        raise _refusal("invalid_message", f"takes {MAX_TEXT:,} characters", MAX_TEXT)
    if not text.strip() and source.strip():
        raise _refusal("invalid_message", "is empty: a discarded or missing text is served in English", 0)
    wanted = _parsed(source, "the source, which does not compile: ")
    given = _parsed(text, "")
    _check_arguments(_by_name(wanted), _by_name(given))
    _check_forms(_by_name(wanted), _by_name(given))
    _check_categories(given, locale)
    return CheckedText(find_warnings(read_pattern(source, wanted), read_pattern(text, given), locale))


def _refusal(code: str, problem: str, place: int, of: str = "") -> InvalidRequest:
    message = f"{problem} (character {place + 1}{of})"
    return InvalidRequest(
        f"/text: {message}", code=code, errors=[{"pointer": "/text", "message": message}], place=place + 1
    )


def _parsed(text: str, what: str) -> Message:
    try:
        return parse_message(text)
    except MessageFault as fault:
        raise _refusal("invalid_message", f"{what}{fault.problem}", fault.place) from None


def _by_name(message: Message) -> _Arguments:
    found: dict[str, list[Argument]] = {}
    for argument in message.arguments:
        found.setdefault(argument.name, []).append(argument)
    return found


def _check_arguments(wanted: _Arguments, given: _Arguments) -> None:
    """Checks that the names are the same, each used for the same: a date stays a date, a plural a plural."""
    for name, arguments in given.items():
        if name not in wanted:
            place = arguments[0].span[0]
            raise _refusal("placeholder_mismatch", f"has {{{name}}}, which the source does not have", place)
    for name, arguments in wanted.items():
        if name not in given:
            place = arguments[0].span[0]
            raise _refusal("placeholder_mismatch", f"lacks {{{name}}}", place, " of the source")
        place = given[name][0].span[0]
        # A bare one more or less says nothing: `#` stands for it in a plural.
        kinds, given_kinds = ({one.kind for one in some if one.kind} for some in (arguments, given[name]))
        if kinds != given_kinds:
            problem = f"{{{name}}} must be {_listed(kinds)}, not {_listed(given_kinds)}"
            raise _refusal("placeholder_mismatch", problem, place)
        if {*_offsets(arguments)} != {*_offsets(given[name])}:
            raise _refusal("placeholder_mismatch", f"{{{name}}} has another offset", place)


def _check_forms(wanted: _Arguments, given: _Arguments) -> None:
    """Checks the branches of a select, and the exact numbers of a plural."""
    for name, arguments in wanted.items():
        for kind in BRANCHED:
            before, after = (_forms(some, kind) for some in (arguments, given[name]))
            for selector in before:
                if selector not in after:
                    problem = f"{{{name}}} lacks the form {selector}"
                    raise _refusal("invalid_message", problem, given[name][0].span[0])
            for selector, place in after.items():
                if kind == "select" and selector not in before:
                    problem = f"{{{name}}} has the form {selector}, which the source does not have"
                    raise _refusal("invalid_message", problem, place)


def _check_categories(given: Message, locale: str) -> None:
    for argument in given.arguments:
        if argument.kind not in PLURALS:
            continue
        known = plural_categories(locale, ordinal=argument.kind == "selectordinal")
        for branch in argument.branches:
            if not branch.selector.startswith("=") and branch.selector not in known:
                problem = f"{{{argument.name}}} has the form {branch.selector}, which {locale} does not have"
                raise _refusal("invalid_message", problem, branch.place)


def _forms(arguments: Sequence[Argument], kind: str) -> dict[str, int]:
    """Returns the selectors that a translation has to keep, by place: of a plural the exact ones alone."""
    return {
        branch.selector: branch.place
        for argument in arguments
        if argument.kind == kind
        for branch in argument.branches
        if kind == "select" or branch.selector.startswith("=")
    }


def _offsets(arguments: Sequence[Argument]) -> Iterator[tuple[str, int]]:
    return ((one.kind, one.offset) for one in arguments if one.kind in PLURALS)


def _listed(kinds: set[str]) -> str:
    return ", ".join(sorted(kinds)) or "without a type"
