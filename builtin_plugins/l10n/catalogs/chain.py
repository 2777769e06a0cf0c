"""The chain of languages in which a text is looked for."""

from collections.abc import Iterator, Sequence

from builtin_plugins.l10n.catalogs.tags import SOURCE
from libs.names import locale_fault, spelt_locale


def chain_of(wish: str | None, default: str) -> Sequence[str]:
    """Returns `nl-BE`, `nl`, the default and those behind it, `en`: each once.

    Without a wish, or with one that is no language tag, it begins with the default.
    """
    wished = [] if wish is None or locale_fault(wish) else _more_general(spelt_locale(wish))
    return tuple(dict.fromkeys((*wished, *_more_general(default), SOURCE)))


def _more_general(tag: str) -> Iterator[str]:
    """Yields the tag, then each that it is a kind of, as RFC 4647 looks tags up."""
    parts = tag.split("-")
    while parts:
        yield "-".join(parts)
        parts.pop()
        # A single letter only introduces what follows it.
        while parts and len(parts[-1]) == 1:
            parts.pop()
