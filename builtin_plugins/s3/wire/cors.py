"""Which pages from elsewhere may use a bucket: the rules that its owner sets, and what they let through."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from builtin_plugins.s3.wire.bodies import Element, document, element, nest, parse
from builtin_plugins.s3.wire.errors import (
    AccessForbidden,
    BadRequest,
    InvalidRequest,
    MalformedXML,
    MaxMessageLengthExceeded,
)

MAX_CORS_BYTES = 64 * 1024
MAX_RULES = 100
# What a request is compared with takes time that all others wait for.
MAX_VALUES = 1000
_MAX_REQUESTED_HEADERS = 50
_MAX_ID = 255
_METHODS = frozenset({"GET", "PUT", "POST", "DELETE", "HEAD"})
_ELEMENTS = frozenset(
    {"ID", "AllowedOrigin", "AllowedMethod", "AllowedHeader", "ExposeHeader", "MaxAgeSeconds"}
)
_ORIGIN = re.compile(r"[\x21-\x7e]+")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECONDS = re.compile(r"[0-9]{1,9}")

VARY = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"


class _HeaderPatterns(NamedTuple):
    """The headers of a rule in lower case: those without a `*`, and what may follow it by what precedes it.

    Nobody signs a preflight, and each header in it is held against all of these: that has to be cheap.
    """

    exact: frozenset[str]
    afters: Mapping[str, tuple[str, ...]]
    lengths: frozenset[int]

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, patterns: tuple[str, ...]) -> "_HeaderPatterns":
        exact, afters = set(), dict[str, list[str]]()
        for before, star, after in (pattern.lower().partition("*") for pattern in patterns):
            if star:
                afters.setdefault(before, []).append(after)
            else:
                exact.add(before)
        ends = {before: tuple(found) for before, found in afters.items()}
        return cls(frozenset(exact), ends, frozenset(map(len, ends)))

    def match(self, name: str) -> bool:
        return name in self.exact or any(
            name[length:].endswith(self.afters.get(name[:length], ())) for length in self.lengths
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """Each of the `origins` and of the `headers` may hold one `*`."""

    origins: tuple[str, ...]
    methods: tuple[str, ...]
    headers: tuple[str, ...] = ()
    exposed: tuple[str, ...] = ()
    max_age: int | None = None
    id: str | None = None

    def origin_for(self, origin: str, method: str) -> str | None:
        """Returns the pattern by which a page of this origin may use the method."""
        if method not in self.methods:
            return None
        return next((pattern for pattern in self.origins if _matches(pattern, origin)), None)

    def allows_headers(self, names: Iterable[str]) -> bool:
        """Tells whether all headers are allowed; the names are in lower case."""
        patterns = _HeaderPatterns.of(self.headers)
        return all(patterns.match(name) for name in names)

    def answer(self, pattern: str, origin: str, requested: Sequence[str] = ()) -> dict[str, str]:
        """Returns the headers of an answer; with a `*` in the pattern, a browser sends no credentials."""
        found = {
            "Access-Control-Allow-Origin": "*" if pattern == "*" else origin,
            "Access-Control-Allow-Methods": ", ".join(self.methods),
        }
        if "*" not in pattern:
            found["Access-Control-Allow-Credentials"] = "true"
        if requested:
            found["Access-Control-Allow-Headers"] = ", ".join(requested)
        if self.exposed:
            found["Access-Control-Expose-Headers"] = ", ".join(self.exposed)
        if self.max_age is not None:
            found["Access-Control-Max-Age"] = str(self.max_age)
        return found


Rules = tuple[Rule, ...]


class Preflight(NamedTuple):
    """The question of a browser before it sends a request of a page from elsewhere."""

    origin: str
    method: str
    headers: tuple[str, ...]

    @classmethod
    def parse(cls, headers: Mapping[str, str]) -> "Preflight":
        origin = headers.get("origin")
        if not origin:
            raise BadRequest("Insufficient information. Origin request header needed.")
        method = headers.get("access-control-request-method")
        if method not in _METHODS:
            raise BadRequest("Access-Control-Request-Method must be GET, PUT, POST, DELETE or HEAD.")
        names = headers.get("access-control-request-headers", "").split(",", _MAX_REQUESTED_HEADERS)
        requested = tuple(name.strip().lower() for name in names if name.strip())
        if len(names) > _MAX_REQUESTED_HEADERS or not all(map(_HEADER.fullmatch, requested)):
            raise AccessForbidden()
        return cls(origin, method, requested)

    def answer(self, rules: Rules) -> dict[str, str]:
        """Returns the headers of the answer; raises `AccessForbidden`, whether there are rules or not."""
        for rule in rules:
            pattern = rule.origin_for(self.origin, self.method)
            if pattern is not None and rule.allows_headers(self.headers):
                return {**rule.answer(pattern, self.origin, self.headers), "Vary": VARY}
        raise AccessForbidden()


def allowed(rules: Rules, origin: str, method: str) -> dict[str, str]:
    """Returns the headers that let a page of this origin see an answer; none where no rule does."""
    for rule in rules:
        pattern = rule.origin_for(origin, method)
        if pattern is not None:
            return rule.answer(pattern, origin)
    return {}


def parse_cors(body: bytes) -> Rules:
    if len(body) > MAX_CORS_BYTES:
        raise MaxMessageLengthExceeded(f"A CORS configuration takes at most {MAX_CORS_BYTES // 1024} KiB.")
    root = parse(body, "CORSConfiguration")
    if any(child.name != "CORSRule" for child in root.children):
        raise MalformedXML("A CORSConfiguration is made of CORSRule.")
    if not 1 <= len(root.children) <= MAX_RULES:
        raise MalformedXML(f"A CORSConfiguration has 1 to {MAX_RULES} rules.")
    rules = tuple(_parse_rule(child) for child in root.children)
    if sum(len(rule.origins) + len(rule.headers) + len(rule.exposed) for rule in rules) > MAX_VALUES:
        raise InvalidRequest(f"A CORSConfiguration has at most {MAX_VALUES} origins and headers in all.")
    return rules


def cors_document(rules: Rules) -> bytes:
    return document("CORSConfiguration", map(_rule_element, rules))


def _parse_rule(node: Element) -> Rule:
    if unknown := next((child.name for child in node.children if child.name not in _ELEMENTS), None):
        raise MalformedXML(f"A CORSRule has no {unknown}.")
    origins, methods = _texts(node, "AllowedOrigin"), _texts(node, "AllowedMethod")
    if not origins or not methods:
        raise MalformedXML("A CORSRule has at least one AllowedOrigin and one AllowedMethod.")
    unsupported = next((method for method in methods if method not in _METHODS), None)
    if unsupported is not None:
        raise InvalidRequest(
            f"Found unsupported HTTP method in CORS config. Unsupported method is {unsupported}"
        )
    headers, exposed = _texts(node, "AllowedHeader"), _texts(node, "ExposeHeader")
    _check_patterns("AllowedOrigin", origins, _ORIGIN)
    _check_patterns("AllowedHeader", headers, _HEADER)
    _check_patterns("ExposeHeader", exposed, _HEADER)
    if wild := next((name for name in exposed if "*" in name), None):
        raise InvalidRequest(f'ExposeHeader "{wild}" contains wildcard. Name each header that is exposed.')
    return Rule(origins, methods, headers, exposed, _max_age(node), _rule_id(node))


def _check_patterns(name: str, values: Iterable[str], form: re.Pattern[str]) -> None:
    for value in values:
        if not form.fullmatch(value):
            raise InvalidRequest(f'{name} "{value}" contains invalid character.')
        if value.count("*") > 1:
            raise InvalidRequest(f'{name} "{value}" can not have more than one wildcard.')


def _max_age(node: Element) -> int | None:
    text = node.value("MaxAgeSeconds")
    if text is None:
        return None
    if not _SECONDS.fullmatch(text.strip()):
        raise MalformedXML("MaxAgeSeconds is a whole number of seconds.")
    return int(text)


def _rule_id(node: Element) -> str | None:
    text = node.value("ID")
    if text is not None and len(text) > _MAX_ID:
        raise InvalidRequest(f"The ID of a CORSRule has at most {_MAX_ID} characters.")
    return text


def _texts(node: Element, name: str) -> tuple[str, ...]:
    return tuple(child.text.strip() for child in node.all(name))


def _rule_element(rule: Rule) -> str:
    rows = (
        ("AllowedOrigin", rule.origins),
        ("AllowedMethod", rule.methods),
        ("AllowedHeader", rule.headers),
        ("ExposeHeader", rule.exposed),
    )
    listed = (element(name, value) for name, values in rows for value in values)
    return nest("CORSRule", (element("ID", rule.id), *listed, element("MaxAgeSeconds", rule.max_age)))


def _matches(pattern: str, value: str) -> bool:
    before, star, after = pattern.partition("*")
    if not star:
        return value == pattern
    return len(value) >= len(before) + len(after) and value.startswith(before) and value.endswith(after)
