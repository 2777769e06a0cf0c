"""What the validation of specs refuses, each with its place."""

import pytest

from builtin_plugins.workflows.spec.validation import validate_shipped, validate_spec
from guildhall_sdk import InvalidRequest, Workflow
from guildhall_sdk.hooks import Declarer

TOOLS = {"count", "find"}
DECLARER = Declarer(id="shop", routes=(), rows={})


def tool(name, **fields):
    return {"name": name, "kind": "tool", "tool": "count", **fields}


def mapped(name, over, **fields):
    return {"name": name, "kind": "map", "over": over, "tool": "count", **fields}


def choice(name, then, otherwise, when=None):
    return {"name": name, "kind": "choice", "when": when or {"empty": ""}, "then": then, "else": otherwise}


def spec(*steps, **fields):
    return {"slug": "x", "start": steps[0]["name"] if steps else "a", "steps": list(steps), **fields}


def result(step, path=""):
    return {"$from": f"steps.{step}.output.result{path}"}


def problems(raw, tools=TOOLS):
    """What is wrong with it, by place; empty where it is right."""
    try:
        validate_spec(raw, tools=tools)
    except InvalidRequest as refused:
        return {error["pointer"]: error["message"] for error in refused.errors}
    return {}


DECIDED = {
    "slug": "hello",
    "version": 1,
    "name": "Hello",
    "inputs": {"message": {"type": "string"}, "list": {"type": "array"}},
    "start": "a",
    "max_steps": 10,
    "steps": [
        tool("a", **{"with": {"text": {"$from": "input.message"}}, "retry": 1}),
        choice("b", "d", "c", {"empty": result("a")}),
        mapped("c", {"$from": "input.list"}, **{"with": {"text": {"$from": "item"}}, "end": True}),
        tool("d", **{"with": {"text": "fixed"}, "end": True}),
    ],
}


def test_a_right_spec_is_read_as_the_engine_walks_it():
    read = validate_spec(DECIDED, tools=TOOLS)
    assert (read.slug, read.name, read.start, read.max_steps) == ("hello", "Hello", "a", 10)
    assert [step.kind for step in read.steps] == ["tool", "choice", "map", "tool"]
    assert read.after(read.step("a")) is read.step("b")
    assert read.after(read.step("c")) is None


@pytest.mark.parametrize("value", [None, 1, "x", [], [{}], True])
def test_what_is_no_object_is_no_spec(value):
    assert problems(value) == {"": "must be an object"}


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"slug": "Hello"}, "/slug"),
        ({"slug": "-a"}, "/slug"),
        ({"slug": "a" * 65}, "/slug"),
        ({"slug": "hello\n"}, "/slug"),
        ({"slug": "schema"}, "/slug"),
        ({"version": 0}, "/version"),
        ({"version": "1"}, "/version"),
        ({"version": 1.0}, "/version"),
        ({"name": "a\nb"}, "/name"),
        ({"start": "nowhere"}, "/start"),
        ({"start": 1}, "/start"),
        ({"max_steps": 0}, "/max_steps"),
        ({"max_steps": 20_001}, "/max_steps"),
        ({"max_steps": True}, "/max_steps"),
        ({"steps": []}, "/steps"),
        ({"steps": {}}, "/steps"),
        ({"owner": "me"}, "/owner"),
        ({"inputs": []}, "/inputs"),
        ({"inputs": {"message": {"type": "string", "default": "x" * 33_000}}}, "/inputs"),
        ({"inputs": {"a b": {"type": "string"}}}, "/inputs/a b"),
        ({"inputs": {"message": {}}}, "/inputs/message/type"),
        ({"inputs": {"message": {"type": "text"}}}, "/inputs/message/type"),
        ({"inputs": {"message": {"type": "string", "secret": True}}}, "/inputs/message/secret"),
        ({"inputs": {"message": {"type": "string", "required": "no"}}}, "/inputs/message/required"),
        ({"inputs": {"message": {"type": "integer", "default": 1.0}}}, "/inputs/message/default"),
        ({"inputs": {"message": {"type": "string", "default": None}}}, "/inputs/message/default"),
    ],
)
def test_a_wrong_field_of_a_spec_is_refused_at_its_place(change, pointer):
    assert pointer in problems({**DECIDED, **change})


@pytest.mark.parametrize(
    ("step", "pointer"),
    [
        ("x", "/steps/0"),
        ({"name": "a"}, "/steps/0/kind"),
        ({"name": "a", "kind": "loop"}, "/steps/0/kind"),
        ({"name": "a", "kind": ["tool"]}, "/steps/0/kind"),
        ({"name": "a", "kind": "tool"}, "/steps/0/tool"),
        ({"name": "a.b", "kind": "tool", "tool": "count"}, "/steps/0/name"),
        (tool("a", tool="Count"), "/steps/0/tool"),
        (tool("a", retry=11), "/steps/0/retry"),
        (tool("a", retry=-1), "/steps/0/retry"),
        (tool("a", retry=True), "/steps/0/retry"),
        (tool("a", end="yes"), "/steps/0/end"),
        (tool("a", over=[]), "/steps/0/over"),
        (tool("a", then="a"), "/steps/0/then"),
        (tool("a", **{"with": []}), "/steps/0/with"),
        (tool("a", **{"with": {"$from": "locale"}}), "/steps/0/with/$from"),
        (tool("a", **{"with": {"x": {"$from": "locale", "y": 1}}}), "/steps/0/with/x/y"),
        (tool("a", **{"with": {"x": {"$form": "locale"}}}), "/steps/0/with/x/$form"),
        (tool("a", **{"with": {"x": [{"$from": 1}]}}), "/steps/0/with/x/0/$from"),
        (tool("a", **{"with": {"x": {"$from": "env.HOME"}}}), "/steps/0/with/x/$from"),
        (tool("a", **{"with": {"x": {"$from": "input."}}}), "/steps/0/with/x/$from"),
        (tool("a", **{"with": {"x": {"$from": "steps.a.output"}}}), "/steps/0/with/x/$from"),
        (mapped("a", "text"), "/steps/0/over"),
        (mapped("a", {"x": 1}), "/steps/0/over/$from"),
        ({"name": "a", "kind": "map", "tool": "count"}, "/steps/0/over"),
        ({"name": "a", "kind": "choice", "when": {"empty": 1}, "then": "a"}, "/steps/0/else"),
        ({**choice("a", "a", "a"), "retry": 1}, "/steps/0/retry"),
        (choice("a", "a", "a", {"empty": 1, "present": 1}), "/steps/0/when"),
        ({**choice("a", "a", "a"), "when": {}}, "/steps/0/when"),
        (choice("a", "a", "a", {"matches": 1}), "/steps/0/when/matches"),
        (choice("a", "a", "a", {"equals": 1}), "/steps/0/when/equals"),
        (choice("a", "a", "a", {"equals": [1]}), "/steps/0/when/equals"),
        (choice("a", "a", "a", {"less": [1, 2, 3]}), "/steps/0/when/less"),
        (choice("a", "a", "a", {"in": [1, "text"]}), "/steps/0/when/in/1"),
        (choice("a", "a", "a", {"contains": [1, 1]}), "/steps/0/when/contains/0"),
        (choice("a", "a", "a", {"greater": [True, None]}), "/steps/0/when/greater/0"),
    ],
)
def test_a_wrong_step_is_refused_at_its_place(step, pointer):
    assert pointer in problems({"slug": "x", "start": "a", "steps": [step]})


def test_the_same_name_cannot_stand_there_twice():
    found = problems(spec(tool("a"), tool("b"), tool("a")))
    assert found == {"/steps/2/name": "is the name of step 0 already; each needs its own"}


def test_a_choice_leads_to_steps_that_are_there():
    found = problems(spec(choice("a", "x", "y"), tool("b")))
    assert found == {"/steps/0/then": "there is no step x", "/steps/0/else": "there is no step y"}


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("steps.nowhere.output.result", "there is no step nowhere"),
        ("steps.last.output.result", "step last never runs before this one"),
        ("steps.b.output.result", "step b never runs before this one"),
        ("steps.each.output.result", "step each is a map: write steps.each.output.results"),
        ("steps.a.output.results", "step a is a tool: write steps.a.output.result"),
        ("steps.fork.output.result", "step fork is a choice, which has no output"),
        ("input.other", "there is no input other; declare it in inputs"),
        ("item.id", "item is there in the with of a map alone"),
        ("index", "index is there in the with of a map alone"),
    ],
)
def test_a_reference_to_what_cannot_be_there_is_refused_at_its_place(reference, message):
    binding = {"deep": [{"er": {"$from": reference}}]}
    raw = spec(
        tool("a"),
        mapped("each", [1]),
        choice("fork", "b", "b"),
        tool("b", **{"with": binding}),
        tool("last"),
        inputs={"text": {"type": "string"}},
    )
    assert problems(raw) == {"/steps/3/with/deep/0/er/$from": message}


def test_the_list_of_a_map_has_no_item_yet():
    raw = spec(mapped("a", [{"$from": "item"}]), mapped("b", {"$from": "index"}))
    assert problems(raw).keys() == {"/steps/0/over/0/$from", "/steps/1/over/$from"}
    assert problems(spec(mapped("a", [1], **{"with": {"n": {"$from": "index"}}}))) == {}


def test_what_another_branch_did_is_out_of_reach():
    raw = spec(
        choice("fork", "left", "right"),
        tool("left", end=True),
        tool("right", **{"with": {"x": result("left")}}),
    )
    assert problems(raw) == {"/steps/2/with/x/$from": "step left never runs before this one"}


def test_a_step_in_a_circle_may_use_what_a_later_one_did_the_round_before():
    raw = spec(
        tool("a", **{"with": {"x": result("b")}}),
        tool("b"),
        choice("again", "a", "end", {"empty": result("b")}),
        tool("end"),
    )
    assert problems(raw) == {}


def test_an_unknown_tool_is_refused_by_a_code_of_its_own():
    raw = spec(tool("a", tool="nothing"), mapped("b", [1], tool="nothing_too"))
    assert problems(raw) == {
        "/steps/0/tool": "there is no tool nothing",
        "/steps/1/tool": "there is no tool nothing_too",
    }
    with pytest.raises(InvalidRequest) as refused:
        validate_spec(raw, tools=TOOLS)
    assert refused.value.code == "unknown_tool"
    assert problems(raw, tools=None) == {}


def test_a_step_that_nothing_leads_to_is_refused():
    found = problems(spec(tool("a", end=True), tool("b"), tool("c")))
    assert found == {
        "/steps/1": "step b is never reached: nothing leads to it from a",
        "/steps/2": "step c is never reached: nothing leads to it from a",
    }
    assert problems({**spec(tool("a"), tool("b")), "start": "b"}).keys() == {"/steps/0"}


def test_choices_that_lead_to_one_another_alone_are_refused():
    raw = spec(tool("a"), choice("b", "c", "d"), choice("c", "b", "d"), tool("d"))
    assert problems(raw) == {"/steps/1": "comes back to itself through choices alone, and would never stop"}
    assert problems(spec(choice("a", "a", "b"), tool("b"))).keys() == {"/steps/0"}


def test_a_circle_that_nothing_leaves_is_refused():
    raw = spec(choice("a", "b", "d"), tool("b"), choice("c", "b", "b"), tool("d"))
    assert problems(raw) == {"/steps/1": "no way leads from step b to an end"}


def test_the_shortest_way_to_an_end_must_fit():
    straight = [tool(f"s{number}") for number in range(5)]
    assert problems(spec(*straight, max_steps=5)) == {}
    assert problems(spec(*straight, max_steps=4)) == {
        "/max_steps": "is too low: the shortest way to an end takes 5 jobs"
    }
    assert problems(spec(mapped("a", [1, 2, 3]), max_steps=2)).keys() == {"/max_steps"}
    assert problems(spec(choice("a", "b", "c"), mapped("b", [1, 2]), tool("c"), max_steps=1)) == {}


def test_many_problems_are_named_at_once_but_not_all():
    raw = spec(*[tool("a", retry=99, nonsense=number) for number in range(100)])
    assert len(problems(raw)) == 20


def test_a_shipped_one_has_a_version_and_may_name_tools_that_come_later():
    validate_shipped(Workflow(spec={**spec(tool("a", tool="of_another_plugin")), "version": 3}), DECLARER)
    with pytest.raises(InvalidRequest, match="/version: is required"):
        validate_shipped(Workflow(spec=spec(tool("a"))), DECLARER)
    with pytest.raises(InvalidRequest, match="half a surrogate pair"):
        validate_shipped(
            Workflow(spec={**spec(tool("a", **{"with": {"x": "\ud800"}})), "version": 1}), DECLARER
        )


@pytest.mark.parametrize(
    ("when", "pointer"), [({"matches": 1}, "/when/matches"), ({}, "/when"), ({"empty": 1, "in": 2}, "/when")]
)
def test_a_choice_without_a_predicate_is_told_which_there_are(when, pointer):
    step = {"name": "c", "kind": "choice", "when": when, "then": "a", "else": "a"}
    message = problems(spec(step, tool("a")))[f"/steps/0{pointer}"]
    assert message.endswith('one of "empty", "present", "equals", "in", "contains", "greater", "less"')
