"""What an experience may say, and where it is told what it may not."""

import pytest

from builtin_plugins.beta.experiences.seeds import MINIMAL
from builtin_plugins.beta.experiences.validation import stored_document, validated_document
from guildhall_sdk import InvalidRequest

EMAIL = {"name": "email", "type": "email", "label": "E-mail", "required": True}
TOO_MUCH = {f"key_{number}": "x" * 5_000 for number in range(60)}


def place_of(raw):
    with pytest.raises(InvalidRequest) as caught:
        validated_document(raw)
    return caught.value.errors[0]["pointer"]


def with_field(**field):
    return {"fields": [EMAIL, {"name": "extra", "type": "text", "label": "Extra", **field}]}


def test_a_whole_experience_is_taken_and_read_again_as_it_was():
    document = validated_document(
        {
            "fields": [EMAIL, {"name": "size", "type": "select", "label": "Size", "options": ["1", "2-10"]}],
            "copy": {"nl-be": {"title": "Kom erbij"}, "en": {"title": "Join"}},
            "theme": {"radius": 4},
            "judge_prompt": "Are they builders?",
            "template": "<h1>{{title}}</h1>",
            "assets": {"hero": "/beta/bundle/beta-onboarding/hero.svg"},
        }
    )
    assert list(document.copy) == ["nl-BE", "en"]
    assert (document.fields[1].options, document.fields[1].required) == (("1", "2-10"), False)
    assert stored_document(document.text) == document


def test_what_is_shown_before_anybody_publishes_speaks_every_shipped_language():
    keys = {frozenset(texts) for texts in MINIMAL.copy.values()}
    assert list(MINIMAL.copy) == ["en", "es", "nl", "is"] and len(keys) == 1


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        ([], ""),
        ({}, "/fields"),
        ({"fields": [EMAIL], "titel": 1}, "/titel"),
        ({"fields": [{**EMAIL, "type": "text"}]}, "/fields"),
        ({"fields": [EMAIL, EMAIL]}, "/fields/1/name"),
        ({"fields": [EMAIL] * 31}, "/fields"),
        ({"fields": [EMAIL, 7]}, "/fields/1"),
        (with_field(name="website"), "/fields/1/name"),
        (with_field(name="E"), "/fields/1/name"),
        (with_field(name="a\n"), "/fields/1/name"),
        (with_field(type="password"), "/fields/1/type"),
        (with_field(label=" "), "/fields/1/label"),
        (with_field(required=1), "/fields/1/required"),
        (with_field(options=["a"]), "/fields/1/options"),
        (with_field(type="select"), "/fields/1/options"),
        (with_field(type="select", options=["a", "a"]), "/fields/1/options/1"),
        (with_field(type="select", options=[1]), "/fields/1/options/0"),
        (with_field(type="checkbox", max_length=3), "/fields/1/max_length"),
        (with_field(max_length=True), "/fields/1/max_length"),
        (with_field(colour="red"), "/fields/1/colour"),
        ({"fields": [EMAIL], "copy": {"en_GB!": {}}}, "/copy/en_GB!"),
        ({"fields": [EMAIL], "copy": {"nl-be": {}, "nl-BE": {}}}, "/copy/nl-BE"),
        ({"fields": [EMAIL], "copy": {"en": {"a.b": "x"}}}, "/copy/en/a.b"),
        ({"fields": [EMAIL], "copy": {"en": {"title": "x" * 5001}}}, "/copy/en/title"),
        ({"fields": [EMAIL], "copy": {"en": {f"k{n}": "" for n in range(101)}}}, "/copy/en"),
        ({"fields": [EMAIL], "theme": []}, "/theme"),
        ({"fields": [EMAIL], "theme": {"text": "#eeeeee"}}, "/theme/text"),
        ({"fields": [EMAIL], "judge_prompt": "x" * 20_001}, "/judge_prompt"),
        ({"fields": [EMAIL], "template": "{{{title}}}"}, "/template"),
        ({"fields": [EMAIL], "template": "{{&title}}"}, "/template"),
        ({"fields": [EMAIL], "template": "{{#a}}"}, "/template"),
        ({"fields": [EMAIL], "template": "é" * 140_000}, "/template"),
        ({"fields": [EMAIL], "assets": {"logo": "https://elsewhere.example/x.svg"}}, "/assets/logo"),
        ({"fields": [EMAIL], "assets": {"hero": "/beta/bundle/x/../y"}}, "/assets/hero"),
        ({"fields": [EMAIL], "assets": {"film": "ast_0"}}, "/assets/film"),
        ({"fields": [EMAIL], "copy": dict.fromkeys(("en", "es"), TOO_MUCH)}, ""),
    ],
)
def test_what_is_wrong_is_named_by_its_place(raw, pointer):
    assert place_of(raw) == pointer
