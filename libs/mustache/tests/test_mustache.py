"""Mustache as its language-neutral specification has it, and what no template can cost."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.mustache import (
    MAX_NESTING,
    MAX_OUTPUT,
    MAX_TAGS,
    MAX_TEMPLATE_CHARACTERS,
    TemplateRefused,
    compile_template,
    escape_html,
    escape_markdown,
)


def rendered(template, data, escape=escape_html):
    return compile_template(template, escape=escape).render(data)


INTERPOLATION = [
    ("Hello from {Mustache}!\n", {}, "Hello from {Mustache}!\n"),
    ("Hello, {{subject}}!", {"subject": "world"}, "Hello, world!"),
    ("{{forbidden}}", {"forbidden": '& " < >'}, "&amp; &quot; &lt; &gt;"),
    ("{{{forbidden}}}", {"forbidden": '& " < >'}, '& " < >'),
    ("{{&forbidden}}", {"forbidden": '& " < >'}, '& " < >'),
    ('"{{mph}} miles an hour!"', {"mph": 85}, '"85 miles an hour!"'),
    ("{{power}} {{{power}}} {{&power}}", {"power": 1.21}, "1.21 1.21 1.21"),
    ("I ({{cannot}}) be seen!", {"cannot": None}, "I () be seen!"),
    ("I ({{cannot}}) {{{cannot}}}be{{&cannot}} seen!", {}, "I () be seen!"),
    ("{{person.name}} {{{person.name}}}", {"person": {"name": "Joe"}}, "Joe Joe"),
    ("{{a.b.c.d.e.name}}", {"a": {"b": {"c": {"d": {"e": {"name": "Phil"}}}}}}, "Phil"),
    ("({{a.b.c}})", {"a": {}}, "()"),
    ("({{a.b.c.name}})", {"a": {"b": {}}, "c": {"name": "Jim"}}, "()"),
    ("{{#a}}{{b.c}}{{/a}}", {"a": {"b": {}}, "b": {"c": "ERROR"}}, ""),
    ("{{#a}}{{b.c}}{{/a}}", {"b": {"c": "hello"}, "a": {"d": 1}}, "hello"),
    ("{{.}} {{{.}}}", "<x>", "&lt;x&gt; <x>"),
    ("| {{string}} | {{{ string }}} | {{& string }} |", {"string": "---"}, "| --- | --- | --- |"),
    ("  {{string}}\n", {"string": "---"}, "  ---\n"),
    ("{{yes}} {{no}}", {"yes": True, "no": False}, "true false"),
    ("{{{list}}}", {"list": [1, {"a": None}]}, '[1, {"a": null}]'),
]
SECTIONS = [
    ('"{{#b}}This should be rendered.{{/b}}"', {"b": True}, '"This should be rendered."'),
    ('"{{#b}}This should not be rendered.{{/b}}"', {"b": False}, '""'),
    ('"{{#n}}This should not be rendered.{{/n}}"', {"n": None}, '""'),
    ('"{{#c}}Hi {{name}}.{{/c}}"', {"c": {"name": "Joe"}}, '"Hi Joe."'),
    (
        '"{{#sec}}{{a}}, {{b}}, {{c.d}}{{/sec}}"',
        {"a": "foo", "b": "wrong", "sec": {"b": "bar"}, "c": {"d": "baz"}},
        '"foo, bar, baz"',
    ),
    ("{{#foo}}{{.}} is {{foo}}{{/foo}}", {"foo": "bar"}, "bar is bar"),
    ('"{{#list}}{{item}}{{/list}}"', {"list": [{"item": 1}, {"item": 2}, {"item": 3}]}, '"123"'),
    ('"{{#list}}Yay lists!{{/list}}"', {"list": []}, '""'),
    (
        "{{#b}}\n* first\n{{/b}}\n* {{two}}\n{{#b}}\n* third\n{{/b}}\n",
        {"b": 1, "two": "2"},
        "* first\n* 2\n* third\n",
    ),
    ("| A {{#b}}B {{#b}}C{{/b}} D{{/b}} E |", {"b": True}, "| A B C D E |"),
    ("| A {{#b}}B {{#b}}C{{/b}} D{{/b}} E |", {"b": False}, "| A  E |"),
    ("[{{#missing}}Found it!{{/missing}}]", {}, "[]"),
    ('"{{#list}}({{.}}){{/list}}"', {"list": ["a", 1, 1.1]}, '"(a)(1)(1.1)"'),
    ('"{{#list}}({{#.}}{{.}}{{/.}}){{/list}}"', {"list": [[1, 2], ["a", "b"]]}, '"(12)(ab)"'),
    ("{{#a.b.c}}Here{{/a.b.c}}", {"a": {"b": {"c": True}}}, "Here"),
    ("{{#a.b.c}}Here{{/a.b.c}}", {"a": {}}, ""),
    (" | {{#b}}\t|\t{{/b}} | \n", {"b": True}, " | \t|\t | \n"),
    (" | {{#b}} {{! note }}\n {{/b}} | \n", {"b": True}, " |  \n  | \n"),
    (" {{#b}}YES{{/b}}\n {{#b}}GOOD{{/b}}\n", {"b": True}, " YES\n GOOD\n"),
    ("| This Is\n{{#b}}\n|\n{{/b}}\n| A Line\n", {"b": True}, "| This Is\n|\n| A Line\n"),
    ("| This Is\n  {{#b}}\n|\n  {{/b}}\n| A Line\n", {"b": True}, "| This Is\n|\n| A Line\n"),
    ("|\r\n{{#b}}\r\n{{/b}}\r\n|", {"b": True}, "|\r\n|"),
    ("  {{#b}}\n#{{/b}}\n/", {"b": True}, "#\n/"),
    ("#{{#b}}\n/\n  {{/b}}", {"b": True}, "#\n/\n"),
    ("|{{# b }}={{/ b }}|", {"b": True}, "|=|"),
    ("{{#zero}}there{{/zero}}{{#text}}none{{/text}}", {"zero": 0, "text": ""}, "there"),
]
INVERTED = [
    ('"{{^b}}This should be rendered.{{/b}}"', {"b": False}, '"This should be rendered."'),
    ('"{{^b}}This should not be rendered.{{/b}}"', {"b": True}, '""'),
    ('"{{^c}}Hi {{name}}.{{/c}}"', {"c": {"name": "Joe"}}, '""'),
    ('"{{^list}}{{n}}{{/list}}"', {"list": [{"n": 1}]}, '""'),
    ('"{{^list}}Empty{{/list}}"', {"list": []}, '"Empty"'),
    ("[{{^missing}}Cannot find key!{{/missing}}]", {}, "[Cannot find key!]"),
    ('"{{^a.b.c}}Not Here{{/a.b.c}}"', {"a": {}}, '"Not Here"'),
    ("{{#l}}{{^x}}no {{/x}}{{x}};{{/l}}", {"l": [{"x": 1}, {}]}, "1;no ;"),
    ("| This Is\n  {{^b}}\n|\n  {{/b}}\n| A Line\n", {"b": False}, "| This Is\n|\n| A Line\n"),
]
COMMENTS_AND_DELIMITERS = [
    ("12345{{! Comment Block! }}67890", {}, "1234567890"),
    ("12345{{!\n  This is a\n  multi-line comment...\n}}67890\n", {}, "1234567890\n"),
    ("Begin.\n  {{! Indented Comment Block! }}\nEnd.\n", {}, "Begin.\nEnd.\n"),
    ("|\r\n{{! Standalone Comment }}\r\n|", {}, "|\r\n|"),
    ("!\n  {{! I'm Still Standalone }}", {}, "!\n"),
    ("  12 {{! 34 }}\n", {}, "  12 \n"),
    ("{{=<% %>=}}(<%text%>)", {"text": "Hey!"}, "(Hey!)"),
    ("({{=[ ]=}}[text])", {"text": "It worked!"}, "(It worked!)"),
    (
        "[\n{{#section}}\n  {{data}}\n  |data|\n{{/section}}\n\n"
        "{{= | | =}}\n|#section|\n  {{data}}\n  |data|\n|/section|\n]\n",
        {"section": True, "data": "I got interpolated."},
        "[\n  I got interpolated.\n  |data|\n\n  {{data}}\n  I got interpolated.\n]\n",
    ),
    ("| {{=@ @=}} |", {}, "|  |"),
    ("Begin.\n  {{=@ @=}}\nEnd.\n", {}, "Begin.\nEnd.\n"),
    ("|{{= @   @ =}}|", {}, "||"),
    ("{{=<% %>=}}<%& x %><%x%>", {"x": "<"}, "<&lt;"),
]


@pytest.mark.parametrize(
    ("template", "data", "expected"), [*INTERPOLATION, *SECTIONS, *INVERTED, *COMMENTS_AND_DELIMITERS]
)
def test_templates_are_filled_as_the_specification_says(template, data, expected):
    assert rendered(template, data) == expected


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{#a}}", "'a' has no end"),
        ("a\n{{/a}}", "Line 2: the tag '{{/a}}' ends no section"),
        ("{{#a}}{{#b}}{{/a}}{{/b}}", "ends no section"),
        ("{{name", "has no end"),
        ("{{{name}}", "has no end"),
        ("{{}}", "names nothing"),
        ("{{a..b}}", "names nothing"),
        ("{{> partial}}", "a partial"),
        ("{{< parent}}{{/parent}}", "a partial"),
        ("{{$ block}}{{/block}}", "a partial"),
        ("{{=<%=}}", "no change of delimiters"),
        ("{{=a b c=}}", "no change of delimiters"),
    ],
)
def test_what_is_no_template_is_refused_with_its_place(template, says):
    with pytest.raises(TemplateRefused) as refusal:
        compile_template(template, escape=escape_html)
    assert refusal.value.code == "invalid_template"
    assert says in refusal.value.detail


def test_a_page_refuses_values_that_would_not_be_escaped():
    for template in ("{{{x}}}", "{{&x}}"):
        with pytest.raises(TemplateRefused, match="unescaped"):
            compile_template(template, escape=escape_html, raw=False)


@pytest.mark.parametrize(
    ("value", "escaped"),
    [
        ("*bold* _it_ `code`", r"\*bold\* \_it\_ \`code\`"),
        ("[link](x) ![image](y)", r"\[link\](x) !\[image\](y)"),
        ("<b> & &amp; A & B", r"\<b> & \&amp; A & B"),
        ("a | b", r"a \| b"),
        ("~~gone~~, ~5", r"\~\~gone\~\~, ~5"),
        ("\\", r"\\"),
        ("# Title\n## More", "\\# Title\n\\## More"),
        (
            "> said\n- item\n+ item\n1. first\n2) second",
            "\\> said\n\\- item\n\\+ item\n1\\. first\n2\\) second",
        ),
        ("---\n===\n- - -", "\\---\n\\===\n\\- - -"),
        ("2026-11-16 INV-7 #5 -5 12.50 (a) C++ a>b", "2026-11-16 INV-7 #5 -5 12.50 (a) C++ a>b"),
    ],
)
def test_values_lose_their_meaning_in_markdown_and_no_more(value, escaped):
    assert escape_markdown(value) == escaped
    assert rendered("{{x}} {{{x}}}", {"x": value}, escape_markdown) == f"{escaped} {value}"


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("{{#a}}x{{/a}}" * 80_000, "invalid_template"),
        ("{{#a}}{{/a}}" * (MAX_TAGS // 2 + 1), "invalid_template"),
        ("{{#a}}" * 10_000 + "{{/a}}" * 10_000, "invalid_template"),
        ("{{#a}}" * (MAX_NESTING + 1) + "{{/a}}" * (MAX_NESTING + 1), "invalid_template"),
        ("{{" * (MAX_TEMPLATE_CHARACTERS // 2), "invalid_template"),
        ("{{!" + "\n" * (MAX_TEMPLATE_CHARACTERS - 10), "invalid_template"),
        ("{{#l}}{{#l}}{{#l}}long{{/l}}{{/l}}{{/l}}", "output_too_large"),
        ("{{#l}}{{#l}}{{l}}{{/l}}{{/l}}", "output_too_large"),
        *(
            pytest.param(template, "output_too_large", marks=pytest.mark.long_form)
            for template in (
                "{{#l}}" * 4 + "{{/l}}" * 4,
                "{{#l}}" * 90 + "{{nothing}}" + "{{/l}}" * 90,
            )
        ),
    ],
)
def test_a_template_that_is_meant_to_hurt_is_refused_by_name_and_soon(template, code, slowness):
    data = {"a": True, "l": [*range(1000)]}
    begun = time.thread_time()
    with pytest.raises(TemplateRefused) as refusal:
        rendered(template, data)
    assert refusal.value.code == code
    assert time.thread_time() - begun < 5 * slowness()


def test_the_longest_templates_take_time_by_their_length(slowness):
    lines = ("{{#a}}\n" + " " * 20 + "{{x}}\n{{/a}}\n") * (MAX_TAGS // 3)
    begun = time.thread_time()
    rendered(lines, {"a": True, "x": "y"})
    one_line = " " * (MAX_TEMPLATE_CHARACTERS - 7 * MAX_TAGS) + "{{! c}}" * MAX_TAGS
    assert rendered(one_line, {}).isspace()
    escape_markdown("-" * MAX_OUTPUT + "x" + "=" * MAX_OUTPUT + " " * MAX_OUTPUT + "x")
    assert time.thread_time() - begun < 3 * slowness()


def test_data_of_any_depth_do_no_harm():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(TemplateRefused, match="too deep"):
        rendered("{{deep}}", {"deep": deep})
    assert rendered("{{#deep}}here{{/deep}}", {"deep": deep}) == "here"


@given(
    st.text("{}#^/!=&>. \n\rab<%", max_size=60),
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab*<", max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
        max_leaves=8,
    ),
)
def test_whatever_is_written_is_rendered_or_refused(template, data):
    try:
        text = rendered(template, data)
    except TemplateRefused:
        return
    assert len(text.encode()) <= MAX_OUTPUT


@given(st.text(max_size=40), st.text(max_size=40))
def test_what_is_no_tag_stays_as_it_is_and_a_value_stands_whole(before, value):
    before = before.replace("{", "(")
    assert rendered(f"{before}{{{{&x}}}}", {"x": value}) == before + value
    assert json.loads(rendered("{{&x}}", {"x": [value]})) == [value]
