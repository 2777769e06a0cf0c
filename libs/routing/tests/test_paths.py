"""Paths with parameters: what is wrong with one, and which takes all of another's."""

import pytest

from libs.routing import NearPaths, covers, path_fault

PATHS = ("/", "/a", "/a/b", "/:one", "/:one/b", "/a/:one", "/*rest", "/a/*rest", "/a/b/*rest", "/a/b/c/:one")


@pytest.mark.parametrize("path", PATHS)
def test_a_right_path_has_no_fault(path):
    assert path_fault(path) is None


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("a", "must start with /"),
        ("/a//b", "no empty segment"),
        ("/a/", "no empty segment"),
        ("/a b", "is not a segment"),
        ("/:One", "is not a segment"),
        ("/*rest/a", "must stand last"),
        ("/:one/:one", "stands there twice"),
    ],
)
def test_a_wrong_path_is_told_why(path, fault):
    assert fault in path_fault(path)


@pytest.mark.parametrize(
    ("earlier", "later", "covered"),
    [
        ("/a/b", "/a/b", True),
        ("/a/:one", "/a/b", True),
        ("/a/b", "/a/:one", False),
        ("/*rest", "/a/b/*more", True),
        ("/a/*rest", "/a", False),
        ("/a/:one", "/a/*rest", False),
    ],
)
def test_a_path_covers_what_it_takes_all_of(earlier, later, covered):
    assert covers(earlier, later) is covered


def test_near_paths_hold_every_one_that_covers():
    table = NearPaths()
    for path in PATHS:
        table.add(path, path)
    for later in PATHS:
        assert {one for one in PATHS if covers(one, later)} <= set(table.near(later))
    assert "/a/b" not in table.near("/x/y")
