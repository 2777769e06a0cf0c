"""What is a hostname, and how it is compared."""

import pytest

from builtin_plugins.companies.schemas import parse_hostname


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("team.example.com", "team.example.com"),
        ("TEAM.Example.COM", "team.example.com"),
        ("team.example.com.", "team.example.com"),
        ("localhost", "localhost"),
        ("r3---sn.example", "r3---sn.example"),
        ("1.example", "1.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("a" * 63 + ".example", "a" * 63 + ".example"),
        (".".join(["a" * 49] * 5) + ".aaa", ".".join(["a" * 49] * 5) + ".aaa"),
    ],
)
def test_a_name_has_one_spelling(given, stored):
    assert parse_hostname(given) == stored
    assert parse_hostname(stored) == stored


@pytest.mark.parametrize(
    "given",
    [
        "",
        ".",
        "..",
        "a..b",
        ".example",
        "example..",
        "-a.example",
        "a-.example",
        "a_b.example",
        "a b.example",
        "a.example\n",
        "a.example:8080",
        "http://a.example",
        "a.example/path",
        "user@a.example",
        "*.example",
        "192.0.2.1",
        "0x7f.1",
        "[::1]",
        "::1",
        "xn--.example",
        "xn--\u00fc.example",
        "straße.example",
        "a\u200d.example",
        "a。example",
        "a.example\u0000",
        "a" * 64 + ".example",
        ".".join(["a" * 49] * 5) + ".aaaa",
        "é" * 64 + ".example",
    ],
)
def test_anything_else_is_none(given):
    assert parse_hostname(given) is None
