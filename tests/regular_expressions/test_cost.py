"""No regular expression that meets input costs more than the length of that input.

Those of the source are found by reading it, so that a new one is tried without being told of here. Only
what is put together while running stands in `PUT_TOGETHER`, with examples of what becomes of it.
"""

import gc
import re
from functools import cache

import pytest

from builtin_plugins.search.query_parser import read_query
from builtin_plugins.search.snippets import hits_of
from builtin_plugins.workflows.spec.validation import FORMAT
from guildhall_sdk import JobKind, Tool
from guildhall_testing.selection import shipped_registry
from tests.regular_expressions.collecting import collect, imports_of_re, sources_with_expressions
from tests.regular_expressions.hostile import costliest

QUESTIONS = (
    "boat",
    '"a b c d"',
    '"a a a a" "a a a b" "a a b" aa ab ac a',
    "東京",
    '"東京 tower"',
    "हिन्दी",
    "a" * 100,
)


# By the first test that asks: to read the whole source takes seconds.
found = cache(collect)


@cache
def schema_patterns():
    """Of what callers send: bodies, queries, the payloads of jobs and the arguments of tools."""
    registry = shipped_registry()
    rows = [bound.row for bound in registry.routes()]
    schemas = [row.body for row in rows] + [row.query for row in rows]
    schemas += [kind.payload for kind in registry.declared(JobKind)]
    schemas += [tool.function_schema() for tool in registry.declared(Tool)]
    return [re.compile(text) for text in sorted({*_patterns_in(schemas)})]


def _patterns_in(value):
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        yield from value.get("patternProperties", {})
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _patterns_in(one)


# By the function that makes or takes them.
PUT_TOGETHER = {
    "libs/json_validation/json_schema.py:_unknown_names": schema_patterns,
    "libs/json_validation/json_schema.py:_check_pattern": schema_patterns,
    "libs/json_validation/json_schema.py:_pattern": schema_patterns,
    "libs/json_validation/validator.py:_is_pattern": schema_patterns,
    "libs/json_validation/queries.py:_text": schema_patterns,
    "builtin_plugins/workflows/spec/shape.py:_pattern": lambda: [
        re.compile(one) for one in _patterns_in(FORMAT.schema)
    ],
    "builtin_plugins/repo/extraction/reading/package.py:named": lambda: [
        re.compile(r"slide([0-9]{0,9})\.xml")
    ],
    "builtin_plugins/search/snippets.py:hits_of": lambda: [hits_of(read_query(one)) for one in QUESTIONS],
}


@pytest.fixture(autouse=True, scope="module")
def no_collections():
    """What the tests before left behind is not walked through while an expression is at work."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("source", sources_with_expressions())
def test_an_expression_costs_no_more_than_the_length_of_its_text(source):
    for used in found():
        if used.pattern and used.where.startswith(f"{source}:"):
            assert costliest(used.pattern, sorted(used.methods)) is None, used.where


@pytest.mark.parametrize("where", PUT_TOGETHER)
def test_an_expression_that_is_put_together_costs_no_more_than_the_length_of_its_text(where):
    for pattern in PUT_TOGETHER[where]():
        assert costliest(pattern, ["search", "finditer"]) is None


def test_every_expression_is_tried():
    assert {used.where for used in found() if used.pattern is None} == PUT_TOGETHER.keys()
    assert {used.where.partition(":")[0] for used in found()} <= {*sources_with_expressions()}
    assert len(found()) > 100
    assert len(schema_patterns()) >= 3
    assert imports_of_re() == {"import re"}, "import the module: others are not found by this test"


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"(a+)+$", "match"),
        (r"(?:a|aa)*b", "match"),
        (r"\s+$", "search"),
        (r"[a-z]+@[a-z]+", "search"),
        pytest.param(
            r"a[\u0300-\u036f]*[\W_]*b[\u0300-\u036f]*[\W_]*c", "search", marks=pytest.mark.long_form
        ),
        (r"^(\w+\s?)*$", "match"),
        pytest.param(r'"(?:[^"\\]|\\.)*"', "search", marks=pytest.mark.long_form),
        pytest.param(rb"x*y*x*$", "match", marks=pytest.mark.long_form),
        (r"<!--.*?-->", "sub"),
    ],
)
def test_what_costs_more_is_noticed(pattern, method):
    assert costliest(re.compile(pattern), [method]) is not None


@pytest.mark.parametrize(
    ("pattern", "method"),
    [(r"[a-z]+", "search"), (r"\s*+x", "match"), (r"(?<![a-z])[a-z]{1,64}+@", "search"), (r"a|b|c", "sub")],
)
def test_what_does_not_is_left_alone(pattern, method):
    assert costliest(re.compile(pattern), [method]) is None
