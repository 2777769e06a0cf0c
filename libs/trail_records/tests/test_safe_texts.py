"""What is recorded for later: bounded, and on one line."""

import json

from libs.trail_records import bounded_object, safe_texts


def test_a_text_is_one_line_and_no_longer_than_it_may_be():
    given = {"odd": "a\nb\u202ec", "long": "x" * 20, "none": None}
    assert safe_texts(given, 10) == {"odd": "a\ufffdb\ufffdc", "long": "x" * 9 + "…", "none": None}


def test_an_object_that_fits_is_as_it_was_given():
    given = {"b": [1, 2.5, None, True], "a": {"deep": "text"}}
    assert bounded_object(given, 100) == '{"a":{"deep":"text"},"b":[1,2.5,null,true]}'


def test_fields_that_do_not_fit_are_left_out_and_that_is_said():
    text = bounded_object({"long": "x" * 200, "short": "stays"}, 100)
    assert json.loads(text) == {"truncated": True, "short": "stays"}
    assert len(text) <= 100


def test_what_is_no_json_becomes_text():
    deep = {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}
    found = json.loads(bounded_object({"nan": float("nan"), "set": {3}, "other": 1j, "deep": deep}, 500))
    assert (found["nan"], found["set"], found["other"]) == ("nan", [3], "1j")
    assert found["deep"]["a"]["b"]["c"]["d"]["e"] == {"f": "{'g': 1}"}
