"""`doc_render`: a template that is meant to hurt is refused by name, and holds nobody up."""

import pytest

from builtin_plugins.documents.forms import RefusedTemplate
from guildhall_testing.heartbeat import quietest

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("{{#a}}" * 10_000 + "{{/a}}" * 10_000, "invalid_template"),
        ("{{#l}}{{#l}}{{l}}{{/l}}{{/l}}", "output_too_large"),
        *(
            pytest.param(*one, marks=pytest.mark.long_form)
            for one in (
                ("{{#a}}x{{/a}}" * 80_000, "invalid_template"),
                ("{{#l}}" * 90 + "{{nothing}}" + "{{/l}}" * 90, "output_too_large"),
            )
        ),
    ],
)
async def test_a_hostile_template_is_refused_off_the_loop_and_leaves_nothing(
    hall, upload, listed, template, code
):
    author = hall.acme.member
    made = await upload(author, "a.txt")
    data = {"a": True, "l": [*range(1000)]}

    async def rendered():
        with pytest.raises(RefusedTemplate) as refusal:
            await hall.tool("doc_render", as_=author, object=made["id"], template=template, data=data)
        return refusal.value

    refused, held_ms = await quietest(rendered, 500)
    assert (refused.status, refused.code) == (400, code)
    assert held_ms < 500
    assert await listed(author) == ["a.txt"]


async def test_a_whole_number_is_written_without_a_fraction(hall, upload, content):
    author = hall.acme.member
    made = await upload(author, "a.txt")
    data = {"total": 12400.0, "rate": 12.5, "least": -0.0, "most": 1e300, "lines": [{"n": 2.0}, {"n": 0.1}]}
    output = await hall.tool(
        "doc_render",
        as_=author,
        object=made["id"],
        template="{{total}}|{{{total}}}|{{rate}}|{{least}}|{{most}}|{{#lines}}{{n}};{{/lines}}",
        data=data,
    )
    assert await content(author, output.object_id) == "12400|12400|12.5|0|1e+300|2;0.1;"


async def test_values_are_escaped_for_markdown_and_not_for_html(hall, upload, content):
    author = hall.acme.member
    made = await upload(author, "a.txt")
    output = await hall.tool(
        "doc_render",
        as_=author,
        object=made["id"],
        template="{{x}}|{{{x}}}|{{&x}}",
        data={"x": "*A* & <b> INV-7"},
    )
    assert await content(author, output.object_id) == r"\*A\* & \<b> INV-7|*A* & <b> INV-7|*A* & <b> INV-7"
