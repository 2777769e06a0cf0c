"""The XML of CORS rules: what is taken, and what is refused in which words."""

import time

import pytest

from builtin_plugins.s3.wire.cors import MAX_CORS_BYTES, MAX_RULES, Preflight, Rule, cors_document, parse_cors
from builtin_plugins.s3.wire.errors import (
    AccessForbidden,
    InvalidRequest,
    MalformedXML,
    MaxMessageLengthExceeded,
)

RULE = "<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>{}</CORSRule>"


def configuration(*rules):
    return f"<CORSConfiguration>{''.join(rules)}</CORSConfiguration>".encode()


def test_rules_come_back_as_they_were_set():
    whole = (
        Rule(("*", "https://*.a"), ("GET", "HEAD"), ("*",), ("ETag",), 0, "<id>"),
        Rule(("null",), ("DELETE",)),
    )
    assert parse_cors(cors_document(whole)) == whole


def test_there_are_up_to_a_hundred_rules():
    assert len(parse_cors(configuration(*[RULE.format("")] * MAX_RULES))) == MAX_RULES
    with pytest.raises(MalformedXML):
        parse_cors(configuration(*[RULE.format("")] * (MAX_RULES + 1)))


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ("", MalformedXML),
        ("<Rule></Rule>", MalformedXML),
        ("<CORSRule></CORSRule>", MalformedXML),
        ("<CORSRule><AllowedOrigin>*</AllowedOrigin></CORSRule>", MalformedXML),
        ("<CORSRule><AllowedMethod>GET</AllowedMethod></CORSRule>", MalformedXML),
        (RULE.format("<Unknown>1</Unknown>"), MalformedXML),
        (RULE.format("<MaxAgeSeconds>-1</MaxAgeSeconds>"), MalformedXML),
        (RULE.format("<MaxAgeSeconds>long</MaxAgeSeconds>"), MalformedXML),
        (RULE.format("<MaxAgeSeconds>1</MaxAgeSeconds>" * 2), MalformedXML),
        (RULE.format("<AllowedMethod>PATCH</AllowedMethod>"), InvalidRequest),
        (RULE.format("<AllowedMethod>get</AllowedMethod>"), InvalidRequest),
        (RULE.format("<AllowedMethod></AllowedMethod>"), InvalidRequest),
        (RULE.format("<AllowedMethod>*</AllowedMethod>"), InvalidRequest),
        (RULE.format("<AllowedOrigin>*a*</AllowedOrigin>"), InvalidRequest),
        (RULE.format("<AllowedOrigin></AllowedOrigin>"), InvalidRequest),
        (RULE.format("<AllowedOrigin>a b</AllowedOrigin>"), InvalidRequest),
        (RULE.format("<AllowedOrigin>a&#13;&#10;b: c</AllowedOrigin>"), InvalidRequest),
        (RULE.format("<AllowedHeader>**</AllowedHeader>"), InvalidRequest),
        (RULE.format("<AllowedHeader>a b</AllowedHeader>"), InvalidRequest),
        (RULE.format("<ExposeHeader>*</ExposeHeader>"), InvalidRequest),
        (RULE.format("<ExposeHeader>a&#10;b</ExposeHeader>"), InvalidRequest),
        (RULE.format(f"<ID>{'x' * 256}</ID>"), InvalidRequest),
        (RULE.format("<AllowedHeader>a</AllowedHeader>" * 1001), InvalidRequest),
    ],
)
def test_what_is_no_rule_is_refused(rule, error):
    with pytest.raises(error):
        parse_cors(configuration(rule))


def test_a_configuration_has_64_kib():
    filler = "<AllowedHeader>a</AllowedHeader>"
    with pytest.raises(MaxMessageLengthExceeded):
        parse_cors(configuration(RULE.format(filler * (MAX_CORS_BYTES // len(filler)))))


@pytest.mark.parametrize("headers", [",".join(["a"] * 51), "a b", "a\x7f", "ö"])
def test_the_headers_that_are_asked_for_are_few_and_plain(headers):
    asked = {"origin": "o", "access-control-request-method": "GET", "access-control-request-headers": headers}
    with pytest.raises(AccessForbidden):
        Preflight.parse(asked).answer((Rule(("*",), ("GET",), ("*",)),))


def test_the_first_rule_that_lets_it_through_answers():
    rules = (
        Rule(("https://a",), ("GET",), ("x-one",), max_age=1),
        Rule(("https://*",), ("GET",), ("x-*",), max_age=2),
        Rule(("*",), ("GET",), ("*",), max_age=3),
    )

    def max_age(origin, headers):
        asked = {
            "origin": origin,
            "access-control-request-method": "GET",
            "access-control-request-headers": headers,
        }
        return Preflight.parse(asked).answer(rules)["Access-Control-Max-Age"]

    assert max_age("https://a", "X-One") == "1"
    assert max_age("https://a", "x-one, x-two") == "2"
    assert max_age("https://a", "") == "1"
    assert max_age("http://b", "authorization,") == "3"


@pytest.mark.parametrize(
    "patterns",
    [
        [*(f"x{number:04}-*" for number in range(998)), "h*"],
        [*(f"*-x{number:04}" for number in range(998)), "*h"],
        [*(f"x{number:04}" for number in range(998)), "h*h"],
    ],
)
def test_the_longest_preflight_is_answered_at_once(patterns, slowness):
    """Nobody signs it, and whoever sets the rules chooses what it is compared with."""
    preflight = Preflight("https://a", "GET", tuple(f"h{number}h" for number in range(50)))
    rules = (Rule(("*",), ("GET",), tuple(patterns)),)
    began = time.thread_time()
    for _ in range(20):
        assert "Access-Control-Allow-Headers" in preflight.answer(rules)
    assert time.thread_time() - began < 0.1 * slowness()


@pytest.mark.parametrize(
    ("pattern", "allowed", "refused"),
    [
        ("X-Amz-*", ["x-amz-", "x-amz-a"], ["x-am", "a-x-amz-a"]),
        ("*-id", ["-id", "a-id"], ["id", "a-id-"]),
        ("a*a", ["aa", "aba"], ["a", "ab", "baa"]),
        ("a", ["a"], ["", "ab", "ba"]),
        ("*", ["", "a"], []),
    ],
)
def test_an_allowed_header_holds_one_star(pattern, allowed, refused):
    rule = Rule(("*",), ("GET",), ("other", "other-*", pattern))
    assert [name for name in (*allowed, *refused) if rule.allows_headers([name])] == allowed
