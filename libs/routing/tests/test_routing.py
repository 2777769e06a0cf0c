"""Paths and patterns: every value that takes a path, in order, and its parameters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.routing import PathTree, path_params

PATTERNS = ["/", "/a", "/a/:x", "/:x/b", "/a/*rest", "/*all"]


@pytest.fixture
def tree():
    made = PathTree()
    for pattern in PATTERNS:
        made.add(pattern, pattern)
    return made


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (b"/", ["/"]),
        (b"/a", ["/a", "/*all"]),
        (b"/a/b", ["/a/:x", "/:x/b", "/a/*rest", "/*all"]),
        (b"/a/", ["/*all"]),
        (b"//", []),
        (b"a", []),
        (b"", []),
        (b"*", []),
    ],
)
def test_every_value_is_found_in_the_order_in_which_it_came(tree, path, found):
    assert tree.find(path) == found


def test_a_rest_may_be_empty_where_that_is_said():
    tree = PathTree()
    tree.add("/a/*rest", "some")
    tree.add("/a/*any", "any", empty_rest=True)
    assert tree.find(b"/a/") == ["any"]
    assert tree.find(b"/a/b") == ["some", "any"]


def test_parameters_are_decoded_segment_by_segment():
    assert path_params("/a/:x/*rest", b"/a/%2F/b%20/c") == {"x": "/", "rest": "b /c"}
    assert path_params("/*rest", b"/%FF%2F", raw_rest=True) == {"rest": "\udcff/"}
    assert path_params("/:x", b"/%FF") is None
    assert path_params("/:x", b"/%00") is None


@given(st.binary(max_size=60))
def test_any_path_has_an_answer(path):
    tree = PathTree()
    for pattern in PATTERNS:
        tree.add(pattern, pattern)
    for pattern in tree.find(path):
        params = path_params(pattern, path)
        assert params is None or all(isinstance(value, str) for value in params.values())
