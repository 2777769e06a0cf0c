"""A chain of macs: what was appended holds, and whatever else stands there does not."""

import pytest

from libs.trail_records import canonical, link_holds, link_mac, seal, seal_holds

KEY, OTHER = bytes(32), bytes(31) + b"\x01"
FIRST, SECOND = {"seq": 1, "what": "made"}, {"seq": 2, "what": "sold"}
MAC = link_mac(KEY, "", FIRST)


def test_the_same_content_has_the_same_mac_in_every_version():
    assert canonical({"b": [1, None, True], "a": "ö"}) == '{"a":"\\u00f6","b":[1,null,true]}'
    assert link_mac(KEY, "", {"what": "made", "seq": 1}) == MAC
    assert MAC == "647272325c484ca3f3db6a21a2e4433243b9cbb7be486fbf323222ed66a91f92"
    assert link_holds(KEY, MAC, SECOND, link_mac(KEY, MAC, SECOND))


@pytest.mark.parametrize(
    ("key", "before", "content"),
    [
        (OTHER, MAC, SECOND),
        (KEY, "", SECOND),
        (KEY, MAC, FIRST),
        (KEY, MAC, SECOND | {"seq": 3}),
        (KEY, MAC, SECOND | {"more": None}),
        (KEY, "not hexadecimal", SECOND),
        (KEY, MAC, SECOND | {"what": b"bytes"}),
    ],
)
def test_any_other_record_does_not_hold(key, before, content):
    assert not link_holds(key, before, content, link_mac(KEY, MAC, SECOND))


def test_a_seal_is_of_its_kind_its_content_and_its_key():
    sealed = seal(KEY, "head", "shop", 2, MAC)
    assert seal_holds(KEY, sealed, "head", "shop", 2, MAC)
    assert not seal_holds(OTHER, sealed, "head", "shop", 2, MAC)
    assert not seal_holds(KEY, sealed, "checkpoint", "shop", 2, MAC)
    assert not seal_holds(KEY, sealed, "head", "shop", 1, MAC)
    assert not seal_holds(KEY, "none", "head", "shop", 2, MAC)
