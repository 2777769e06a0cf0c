"""The router: declared order, parameters, and what is no path at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildhall_sdk import NotFound, Route
from guildhall_sdk.errors import MethodNotAllowed
from kernel.http.rows import Router
from kernel.registry import BoundRoute


def router(*rows: str) -> Router:
    """A row that ends in `!` takes the rest of its path as it was sent."""

    async def handler(call): ...

    bound = []
    for row in rows:
        method, path = row.rstrip("!").split()
        declared = Route(method, path, "handler", "a row", raw_wildcard=row.endswith("!"))
        bound.append(BoundRoute("test", declared, handler))
    return Router(bound)


def found(table: Router, method: str, path: str) -> tuple[str, dict]:
    bound, params = table.find(method, path.encode())
    return bound.row.path, dict(params)


def test_a_literal_path_is_found():
    assert found(router("GET /a/b"), "GET", "/a/b") == ("/a/b", {})


def test_the_root_is_a_path():
    assert found(router("GET /"), "GET", "/") == ("/", {})


def test_parameters_are_decoded_segment_by_segment():
    table = router("GET /a/:x/b", "PUT /repo/*key")
    assert found(table, "GET", "/a/%C3%A9%2Fz/b") == ("/a/:x/b", {"x": "é/z"})
    assert found(table, "PUT", "/repo/a/b%20c//d") == ("/repo/*key", {"key": "a/b c//d"})


@pytest.mark.parametrize(
    ("rest", "key"),
    [("", ""), ("a%00", "a\0"), ("%FF/b", "\udcff/b"), ("a%2Fb/", "a/b/"), ("%C3/%A9", "\udcc3/\udca9")],
)
def test_the_rest_of_a_path_may_be_taken_as_it_was_sent(rest, key):
    assert found(router("PUT /repo/*key!"), "PUT", f"/repo/{rest}") == ("/repo/*key", {"key": key})


@pytest.mark.parametrize("rest", ["", "a%00", "%FF/b"])
def test_else_what_is_no_text_names_nothing(rest):
    with pytest.raises(NotFound):
        found(router("PUT /repo/*key"), "PUT", f"/repo/{rest}")


def test_the_first_row_in_declared_order_wins():
    table = router("GET /w/schema", "GET /w/:slug", "POST /w/:slug")
    assert found(table, "GET", "/w/schema")[0] == "/w/schema"
    assert found(table, "GET", "/w/other")[0] == "/w/:slug"
    assert found(table, "POST", "/w/schema")[0] == "/w/:slug"


def test_a_dead_end_below_a_literal_falls_back_to_the_parameter():
    table = router("GET /a/b/c", "GET /a/:x/d")
    assert found(table, "GET", "/a/b/d") == ("/a/:x/d", {"x": "b"})


def test_head_goes_where_get_goes():
    assert found(router("GET /a"), "HEAD", "/a")[0] == "/a"


@pytest.mark.parametrize("path", ["/a/", "//a", "/a/b/", "/b", "", "*", "/a//b", "/A"])
def test_what_is_not_in_the_table_is_not_found(path):
    with pytest.raises(NotFound):
        router("GET /a", "GET /a/:x/c").find("GET", path.encode())


@pytest.mark.parametrize("segment", ["%ff", "%00", "%c0%af", "a%00b"])
def test_a_parameter_that_is_no_text_names_nothing(segment):
    with pytest.raises(NotFound):
        router("GET /a/:x").find("GET", f"/a/{segment}".encode())


def test_another_method_is_told_what_is_allowed():
    with pytest.raises(MethodNotAllowed) as refusal:
        router("GET /a", "DELETE /a", "PUT /:x").find("POST", b"/a")
    assert refusal.value.headers["Allow"] == "DELETE, GET, PUT"


def test_a_path_that_takes_another_method_is_no_page_at_the_root():
    table = router("POST /v1/chat", "GET /*path")
    assert found(table, "GET", "/v1/chats")[0] == "/*path"
    with pytest.raises(MethodNotAllowed) as refusal:
        table.find("GET", b"/v1/chat")
    assert refusal.value.headers["Allow"] == "POST"


@given(st.binary(max_size=60))
def test_any_bytes_are_found_or_refused(path):
    table = router("GET /a", "GET /a/:x", "GET /a/:x/*rest", "GET /:y/b")
    try:
        bound, params = table.find("GET", path)
    except NotFound:
        return
    assert all(isinstance(value, str) for value in params.values())
    assert bound.row.method == "GET"
