"""The difference of two texts, held against what it claims and bounded in what it costs."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builtin_plugins.repo import diff
from libs.fair_slots import finished

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "long line", "+x", "-y", " z"]), max_size=40)


def compared(*texts_and_names):
    return finished(diff.compare(*texts_and_names))


def apply(old, patch):
    """The new lines, by following a unified diff as `patch` would."""
    lines, out, at = patch.splitlines()[2:], [], 0
    for line in lines:
        if line.startswith("@@"):
            start, _, count = line.split()[1][1:].partition(",")
            begin = int(start) - (0 if count == "0" else 1)
            out += old[at:begin]
            at = begin
        elif line[0] == "+":
            out.append(line[1:])
        else:
            assert old[at] == line[1:]
            at += 1
            if line[0] == " ":
                out.append(line[1:])
    return out + old[at:]


@given(LINES, LINES)
def test_a_diff_leads_from_one_text_to_the_other(old, new):
    found = compared("\n".join(old), "\n".join(new), "old", "new")
    before, after = "\n".join(old).splitlines(), "\n".join(new).splitlines()
    if before == after:
        assert found.text == ""
    else:
        assert apply(before, found.text) == after
    assert found.added - found.removed == len(after) - len(before)


@given(LINES, LINES)
def test_no_line_counts_that_need_not(old, new):
    """As many changes as the shortest way has."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            same = old[i] == new[j]
            lengths[i][j] = 1 + lengths[i + 1][j + 1] if same else max(lengths[i + 1][j], lengths[i][j + 1])
    edits = finished(diff._myers(old, new))
    assert len(edits) == len(old) + len(new) - 2 * lengths[0][0]


def test_texts_that_share_nothing_cost_no_more_than_their_rounds(monkeypatch):
    rounds = 0
    begin = diff._begin

    def counting(*args):
        nonlocal rounds
        rounds += 1
        return begin(*args)

    monkeypatch.setattr(diff, "_begin", counting)
    old = "\n".join(f"a{n}" for n in range(20_000))
    new = "\n".join(f"b{n}" for n in range(20_000))
    found = compared(f"same\n{old}\nend", f"same\n{new}\nend", "old", "new")
    assert (found.added, found.removed) == (20_000, 20_000)
    assert rounds <= (diff.MAX_ROUNDS + 1) ** 2
    assert found.text.splitlines()[3] == " same"


def test_a_long_diff_is_cut_and_says_so():
    found = compared("", "x" * 100 + "\n" + "y\n" * 600_000, "old", "new")
    assert found.truncated
    assert len(found.text) <= diff.MAX_OUTPUT


@given(st.text(alphabet="ab\r\n\x0b\u2028", max_size=300), st.integers(1, 5))
def test_lines_are_the_same_in_pieces(text, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff, "_PIECE", piece)
        assert finished(diff._lines(text)) == text.splitlines()


@pytest.mark.every_database
async def test_only_a_few_comparisons_of_a_company_at_once(hall, monkeypatch):
    owner = hall.acme.owner
    for text in ("one", "two"):
        put = await owner.put("/api/repo/a.txt", content=text, headers={"Content-Type": "text/plain"})
    path = f"/api/repo-obj/{put.json()['id']}/diff"
    let_go, begun = threading.Event(), []

    def waiting(*_):
        begun.append(1)
        let_go.wait(60)
        return diff.Difference("", 0, 0, False)
        yield

    monkeypatch.setattr(diff, "compare", waiting)
    under_way = [asyncio.create_task(owner.get(path)) for _ in range(5)]
    refused, _ = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
    assert [task.result().status_code for task in refused] == [429]
    let_go.set()
    answers = await asyncio.gather(*under_way)
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [429]


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: ["x"] * len(lines),
        *(
            pytest.param(change, marks=pytest.mark.long_form)
            for change in (
                lambda lines: ["x", *lines, "y"],
                lambda lines: [*lines[:100], "x", *lines[100:]],
                lambda lines: lines[:-1_000],
                lambda lines: [*lines[::2], "x"],
            )
        ),
    ],
)
async def test_no_step_of_a_comparison_is_long(hall, thread_steps, change):
    """Nearly a million lines that say nothing: another company waits for one short step at most."""
    owner, lines = hall.acme.owner, [""] * 950_000
    for some in (lines, change(lines)):
        put = await owner.put(
            "/api/repo/a.txt", content="\n".join(some).encode(), headers={"Content-Type": "text/plain"}
        )
    thread_steps.clear()
    answer = await owner.get(f"/api/repo-obj/{put.json()['id']}/diff")
    assert answer.status_code == 200, answer.text
    assert max(thread_steps) < 0.05


async def test_more_lines_than_are_compared_are_refused(hall):
    owner = hall.acme.owner
    for end in (b"a", b"b"):
        put = await owner.put(
            "/api/repo/a.txt", content=b"\n" * 1_000_001 + end, headers={"Content-Type": "text/plain"}
        )
    answer = await owner.get(f"/api/repo-obj/{put.json()['id']}/diff")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert "1,000,000 lines" in answer.json()["detail"]
