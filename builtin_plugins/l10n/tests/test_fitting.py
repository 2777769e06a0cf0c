"""Whether a text fits its source is told alike with and without taking both apart."""

from itertools import product

import pytest

from builtin_plugins.l10n.catalogs import files
from builtin_plugins.l10n.catalogs.files import fits, misfit

TEXTS = [
    "Hello",
    "Hello {name}",
    "{name}, hello {name}",
    "Hello {name} {other}",
    "{other}{name}",
    "Hello {Name}",
    "Hello { name }",
    "Hello {0}",
    "Hello {größe}",
    "Hello {name, number}",
    "{name, plural, one {#} other {# of {other}}}",
    "It's {name}",
    "Hello '{name}'",
    "Hello {name",
    "Hello name}",
    "Hello {}",
    "Hello {{name}}",
    "Hello {na me}",
]


@pytest.mark.parametrize("source", TEXTS)
def test_a_text_fits_where_nothing_is_wrong_with_it(source):
    for text in TEXTS:
        assert fits(source, text) == (misfit(source, text) is None), text


def test_most_texts_of_a_large_catalog_are_not_taken_apart(monkeypatch):
    taken_apart = []
    monkeypatch.setattr(files, "misfit", lambda *texts: taken_apart.append(texts))
    for number, names in product(range(100), ("", "{name}", "{name} {count}")):
        assert fits(f"Text {number} {names}", f"{names} Tekst {number}")
    assert not taken_apart
