"""Pages, held against a model that looks at every key."""

import asyncio
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.s3.wire import errors
from builtin_plugins.s3.wire.listing import (
    Position,
    decode_token,
    encode_token,
    following,
    list_page,
    list_query_uploads,
    list_query_v1,
    list_query_v2,
    list_query_versions,
    parse_limit,
    wants_url_encoding,
)

keys = st.text(
    st.sampled_from(["a", "b", "/", "-", "\x01", "ä", "\ud7ff", "\U0010ffff"]), min_size=1, max_size=5
)


@dataclass(frozen=True)
class Row:
    key: str
    id: str = ""


class Rows:
    """An ordered source that counts what it hands out. Within a key, later ids come first."""

    def __init__(self, rows):
        self.rows = sorted(
            sorted(rows, key=lambda row: row.id, reverse=True), key=lambda row: row.key.encode()
        )
        self.read = self.asked = 0

    async def __call__(self, position, below, limit):
        assert "\0" not in position.at_least
        found = [
            row for row in self.rows if self.follows(row, position) and (below is None or row.key < below)
        ]
        self.read += len(found[:limit])
        self.asked += 1
        return found[:limit]

    def follows(self, row, position):
        if position.after_id is not None and row.key == position.at_least:
            return row.id < position.after_id
        return row.key.encode() >= position.at_least.encode()


def naive(names, prefix="", delimiter="", marker=""):
    """Everything a list can show after a marker, as S3 describes it."""
    shown = []
    for key in sorted(names, key=str.encode):
        at = key.find(delimiter, len(prefix)) if delimiter else -1
        face = key if at < 0 else key[: at + len(delimiter)]
        if key.startswith(prefix) and face > marker and key > marker and face not in shown:
            shown.append(face)
    return shown


def shown(page):
    return sorted([row.key for row in page.entries] + list(page.prefixes))


def page_of(rows, query):
    return asyncio.run(list_page(rows, query))


arguments = st.fixed_dictionaries(
    {
        "prefix": st.sampled_from(["", "a", "a/", "b/a", "\U0010ffff", "ä"]),
        "delimiter": st.sampled_from(["", "/", "-", "a/", "\U0010ffff"]),
        "max-keys": st.integers(1, 4).map(str),
    }
)


@given(names=st.sets(keys, max_size=25), arguments=arguments, marker=st.just("") | keys)
def test_version_1_pages_show_everything_once(names, arguments, marker):
    expected = naive(names, arguments["prefix"], arguments["delimiter"], marker)
    found, rows = [], Rows(map(Row, names))
    while True:
        page = page_of(rows, list_query_v1({**arguments, "marker": marker}))
        assert page.count <= int(arguments["max-keys"])
        found += shown(page)
        if page.next is None:
            break
        assert page.count == int(arguments["max-keys"])
        assert page.last_key == found[-1] > marker
        marker = page.last_key
    assert found == expected


@given(names=st.sets(keys, max_size=25), arguments=arguments, start_after=st.just("") | keys)
def test_version_2_pages_show_everything_once(names, arguments, start_after):
    expected = naive(names, arguments["prefix"], arguments["delimiter"], start_after)
    found, token, rows = [], "", Rows(map(Row, names))
    while token is not None:
        page = page_of(
            rows, list_query_v2({**arguments, "start-after": start_after, "continuation-token": token})
        )
        found += shown(page)
        token = encode_token(page.next) if page.next else None
    assert found == expected


@given(versions=st.sets(st.tuples(keys, st.sampled_from("123")), max_size=25), arguments=arguments)
def test_version_pages_show_every_version_once(versions, arguments):
    names = {key for key, _ in versions}
    expected = naive(names, arguments["prefix"], arguments["delimiter"])
    found, prefixes, markers = [], [], {}
    rows = Rows(Row(*version) for version in versions)
    while markers is not None:
        page = page_of(rows, list_query_versions({**arguments, **markers}))
        found += [(row.key, row.id) for row in page.entries]
        prefixes += page.prefixes
        markers = {"key-marker": page.last_key, "version-id-marker": page.last_id} if page.next else None
    assert found == [
        (row.key, row.id) for row in rows.rows if row.key in expected and row.key not in prefixes
    ]
    assert sorted({*prefixes, *(key for key, _ in found)}) == expected
    assert len(prefixes) == len(set(prefixes))


def test_a_page_survives_the_end_of_its_marker():
    rows = Rows([Row("a", "1"), Row("a", "2"), Row("a", "4"), Row("b", "1")])
    page = page_of(rows, list_query_versions({"key-marker": "a", "version-id-marker": "3"}))
    assert [(row.key, row.id) for row in page.entries] == [("a", "2"), ("a", "1"), ("b", "1")]
    page = page_of(rows, list_query_versions({"key-marker": "a"}))
    assert [(row.key, row.id) for row in page.entries] == [("b", "1")]


def test_versions_of_one_key_go_on_where_a_batch_of_rows_ended():
    folder = [Row(f"a/{number:02}", "1") for number in range(21)]
    rows = Rows([*folder, *(Row("b", f"{number:02}") for number in range(30))])
    page = page_of(rows, list_query_versions({"delimiter": "/", "max-keys": "20"}))
    assert [row.id for row in page.entries] == [f"{number:02}" for number in range(29, 10, -1)]
    assert (page.prefixes, page.next, rows.asked) == (["a/"], Position("b", "11"), 3)


def test_a_version_marker_needs_its_key():
    with pytest.raises(errors.InvalidArgument):
        list_query_versions({"version-id-marker": "1"})
    assert list_query_uploads({"upload-id-marker": "1"}).start == Position("")
    assert list_query_uploads({"upload-id-marker": "1", "key-marker": "a"}).start == Position("a", "1")


def test_large_folders_are_leapt_over():
    folders = Rows(Row(f"{folder:03}/{number:04}") for folder in range(50) for number in range(200))
    page = page_of(folders, list_query_v1({"delimiter": "/"}))
    assert len(page.prefixes) == 50
    assert page.next is None
    assert folders.read < 2_000
    assert folders.asked < 60


def test_a_flat_list_is_read_once():
    rows = Rows(Row(f"{number:05}") for number in range(3000))
    page = page_of(rows, list_query_v2({}))
    assert (len(page.entries), rows.asked, rows.read) == (1000, 1, 1001)


def test_no_keys_wanted_is_no_question_asked():
    rows = Rows([Row("a")])
    for query in (list_query_v1({"max-keys": "0"}), list_query_v1({"prefix": "a\0"})):
        page = page_of(rows, query)
        assert (page.count, page.next, rows.asked) == (0, None, 0)


@pytest.mark.parametrize("marker", ["a\0", "a\0b", "\0"])
def test_a_marker_with_nul_is_a_place_like_any_other(marker):
    rows = Rows([Row("a"), Row("a\x01"), Row("b")])
    expected = [key for key in ("a", "a\x01", "b") if key > marker]
    assert shown(page_of(rows, list_query_v1({"marker": marker}))) == expected
    token = encode_token(Position(marker))
    assert shown(page_of(rows, list_query_v2({"continuation-token": token}))) == expected


@pytest.mark.parametrize(
    ("text", "most"), [(None, 1000), ("", 1000), ("0", 0), ("7", 7), ("1000", 1000), ("2147483647", 1000)]
)
def test_at_most_a_thousand_are_shown(text, most):
    assert parse_limit(text, "max-keys") == most


@pytest.mark.parametrize("text", ["blah", "-1", "1.5", "2147483648", "9" * 5000, "٣", " 1"])
def test_a_number_of_keys_that_is_none_is_refused(text):
    with pytest.raises(errors.InvalidArgument):
        parse_limit(text, "max-keys")


@given(keys)
def test_a_token_leads_back(at_least):
    assert decode_token(encode_token(Position(at_least))) == Position(at_least)


@pytest.mark.parametrize("token", ["x", "%%%", "é", "MQ", "AAAA", "Mv__"])
def test_a_token_of_elsewhere_is_refused(token):
    if token == "MQ":
        assert decode_token(token) == Position("")
        return
    with pytest.raises(errors.InvalidArgument):
        decode_token(token)


def test_the_encoding_is_url_or_none():
    assert wants_url_encoding({"encoding-type": "url"})
    assert not wants_url_encoding({})
    with pytest.raises(errors.InvalidArgument):
        wants_url_encoding({"encoding-type": "base64"})


@given(prefix=keys, rest=st.text(st.characters(exclude_categories=("Cs",)), max_size=3))
def test_what_follows_a_prefix_follows_all_it_begins(prefix, rest):
    bound = following(prefix)
    if bound is None:
        assert set(prefix) == {"\U0010ffff"}
    else:
        assert (prefix + rest).encode() < bound.encode()
        assert not bound.startswith(prefix)
