"""Chat completions as real servers answer them: however a stream is cut, the same answer comes out."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.model_wire import CompletionReader, NotACompletion, TokenCounts, read_completion

PIECES = [
    *("<think>", "</think>", "<", "<th", "ink>", "</", "`<think>`", " ", "\n", "Hello", "{}", "é"),
    *("😀", "\ud83d", "\ude00"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
CUTS = st.lists(st.integers(0, 200), max_size=12)


def chunk(finish_reason=None, **delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def whole(content=None, finish_reason="stop", **message):
    message = {"role": "assistant", "content": content, **message}
    return {"choices": [{"message": message, "finish_reason": finish_reason}]}


def read(*chunks, wants_json=False):
    """The deltas of a stream together, and its result."""
    reader = CompletionReader(wants_json=wants_json)
    return "".join([reader.add(one) for one in chunks]), reader.result()


def cut(text, cuts):
    edges = [0, *sorted(min(edge, len(text)) for edge in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(edges)]


def calls_of(completion):
    return [(call.name, call.arguments) for call in completion.tool_calls]


@given(TEXTS, CUTS, st.booleans())
def test_however_a_text_is_cut_the_same_is_read_and_shown(text, cuts, with_end):
    pieces = [chunk(content=piece) for piece in cut(text, cuts)]
    deltas, result = read(*pieces, *([chunk("stop")] if with_end else []))
    expected = read_completion(whole(text), wants_json=False)
    assert (result.text, result.reasoning) == (expected.text, expected.reasoning)
    assert expected.text == deltas if with_end else expected.text.startswith(deltas)
    result.text.encode()


@given(TEXTS.filter(lambda text: "think>" not in text), CUTS)
def test_nothing_of_a_thought_is_ever_shown(thought, cuts):
    text = f"\n<think>SECRET {thought} SECRET</think>\n\nHi."
    deltas, result = read(*(chunk(content=piece) for piece in cut(text, cuts)), chunk("stop"))
    assert (deltas, result.text) == ("Hi.", "Hi.")
    assert result.reasoning.startswith("SECRET ")


@given(
    st.lists(st.tuples(st.sampled_from("fgh"), st.sampled_from(["", "{}", '{"a": "}{"}'])), max_size=4), CUTS
)
def test_however_tool_calls_are_cut_the_same_is_read(calls, cuts):
    chunks = []
    for number, (name, arguments) in enumerate(calls):
        chunks.append(chunk(tool_calls=[{"index": number, "id": f"id_{number}", "function": {"name": name}}]))
        chunks += [
            chunk(tool_calls=[{"index": number, "function": {"arguments": piece}}])
            for piece in cut(arguments, cuts)
        ]
    _, result = read(*chunks, chunk("stop"))
    assert calls_of(result) == calls
    assert [call.id for call in result.tool_calls] == [f"id_{number}" for number in range(len(calls))]
    assert result.finish_reason == ("tool_calls" if calls else "stop")


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("<think>a</think>b", "b", "a"),
        ("<think>a</think> <think>b</think>\nc", "c", "ab"),
        ("<think>cut off by the limit", "", "cut off by the limit"),
        ("Well. <think>a</think>b", "Well. b", "a"),
        ("Write <think> and go on", "Write <think> and go on", ""),
        ("The tags `<think>` and `</think>`", "The tags `<think>` and `</think>`", ""),
        ("  indented", "  indented", ""),
        ("a <b> c", "a <b> c", ""),
        ("half \ud83d", "half ?", ""),
    ],
)
def test_thoughts_in_the_text_are_kept_apart(text, said, thought):
    deltas, result = read(*(chunk(content=char) for char in text), chunk("stop"))
    assert (deltas, result.text, result.reasoning) == (said, said, thought)


def piece(name=None, arguments=None, **more):
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {**more, "function": function}


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        # No index: what follows a call belongs to it.
        ([[piece("f", "", id="a")], [piece(None, "{}")], [piece("g", "{}", id="b")]], ["f{}", "g{}"]),
        # Index 0 for all: a new id begins a new call.
        ([[piece("f", "{}", index=0, id="a")], [piece("g", "{}", index=0, id="b")]], ["f{}", "g{}"]),
        # Index 0 for all and no id: a name after arguments that are whole begins a new call.
        (
            [[piece("f", "{}", index=0)], [piece("f", '{"a":', index=0)], [piece(None, "1}", index=0)]],
            ["f{}", 'f{"a":1}'],
        ),
        # The id comes late, or is empty.
        ([[piece("f", "", index=0, id="")], [piece(None, "{}", index=0, id="late")]], ["f{}"]),
        # Both at once, told apart by nothing but their place.
        ([[piece("f"), piece("g")], [piece(None, "{}"), piece(None, "[]")]], ["f{}", "g[]"]),
        ([[piece("f", "{}", index=0), piece("g", "{}", index=0)]], ["f{}", "g{}"]),
        # Interleaved by index.
        (
            [
                [piece("f", "", index=0, id="a")],
                [piece("g", "", index=1, id="b")],
                [piece(None, "1", index=0)],
            ],
            ["f1", "g"],
        ),
        # The name and the id again with each piece.
        ([[piece("f", "{", index=0, id="a")], [piece("f", "}", index=0, id="a")]], ["f{}"]),
        ([[piece("f", "{", index=0)], [piece("f", "}", index=0)]], ["f{}"]),
        # Arguments that are an object, and none.
        ([[{"function": {"name": "f", "arguments": {"x": 1}}}]], ['f{"x": 1}']),
        ([[{"function": {"name": "f", "arguments": None}}]], ["f"]),
        # What is no call.
        ([["nonsense", {"function": "no"}, {}], [piece(None, "{}")]], []),
    ],
)
def test_tool_calls_are_told_apart_however_they_are_numbered(deltas, expected):
    _, result = read(*(chunk(tool_calls=calls) for calls in deltas), chunk("stop"))
    assert [name + arguments for name, arguments in calls_of(result)] == expected
    assert result.finish_reason == ("tool_calls" if expected else "stop")


@pytest.mark.parametrize("streamed", [False, True])
def test_a_call_without_an_id_of_its_own_gets_one_that_is_unique(streamed):
    calls = [piece("f", "{}", index=number, id=given) for number, given in enumerate(["", "a", "", "a"])]
    if streamed:
        _, result = read(*(chunk(tool_calls=[{**call, "id": ""}]) for call in calls))
    else:
        result = read_completion(whole(tool_calls=calls), wants_json=False)
        assert result.tool_calls[1].id == "a"
    assert len({call.id for call in result.tool_calls}) == 4
    assert all(call.id for call in result.tool_calls)


def test_reasoning_is_read_from_either_field_and_told_once():
    for names in (("reasoning",), ("reasoning_content",), ("reasoning", "reasoning_content")):
        deltas, result = read(chunk(content="", **dict.fromkeys(names, "hm")), chunk("stop", content="Hi."))
        assert (deltas, result.text, result.reasoning) == ("Hi.", "Hi.", "hm")
    assert (
        read_completion(whole("Hi.", reasoning_content="", reasoning="hm"), wants_json=False).reasoning
        == "hm"
    )


@pytest.mark.parametrize("wrapped", [{"reasoning": '{"n": 3}'}, {"content": '<think>{"n": 3}</think>'}])
def test_json_among_the_thoughts_is_the_answer_where_json_was_wanted(wrapped):
    for wants_json, expected in ((True, '{"n": 3}'), (False, "")):
        assert read(chunk(**wrapped), chunk("stop"), wants_json=wants_json)[1].text == expected
        assert read_completion(whole(**{"content": None, **wrapped}), wants_json=wants_json).text == expected


def test_chunks_without_a_choice_are_no_harm_and_the_last_counts_are_taken():
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    deltas, result = read(
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}},
        *({}, {"choices": None}, {"choices": ["no"]}, {"choices": [{}]}, {"choices": [{"delta": None}]}),
        chunk("length", content="Hi"),
        {"choices": [], "usage": usage},
        {"choices": [], "usage": None},
    )
    assert (deltas, result.finish_reason, result.usage) == ("Hi", "length", TokenCounts(3, 2))
    assert read({"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 0}})[1].usage is None


@pytest.mark.parametrize(
    "answer", [None, [], {}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": 1}]}]
)
def test_what_is_no_completion_is_refused(answer):
    with pytest.raises(NotACompletion):
        read_completion(answer, wants_json=False)


@pytest.mark.parametrize(
    "chunks",
    [
        [chunk(content="word ")] * 20_000,
        [chunk(content="<think>"), *[chunk(content="word ")] * 20_000],
        [chunk(tool_calls=[piece("f", "{}", index=0)])] * 20_000,
        [chunk(tool_calls=[piece(None, "}", index=0)])] * 20_000,
    ],
)
def test_a_long_stream_costs_by_its_length_alone(chunks):
    def seconds(count):
        began = time.thread_time()
        read(*chunks[:count])
        return time.thread_time() - began

    assert min(seconds(20_000) for _ in range(3)) < 40 * min(seconds(2_000) for _ in range(3))
