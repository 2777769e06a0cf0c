"""A protocol that its author wrote from the docs, with a kind of credential of its own."""

import json

import pytest


@pytest.fixture
def say(served):
    """`say("who", "acme.member")`: the status and the line that they are answered with."""
    return speaker(served)


def speaker(hall):
    def say(word, person=None, line=None, *, badge=None):
        badge = badge or (badge_of(hall, person) if person else None)
        with hall.bearing(None, **({"X-Badge": badge} if badge else {})) as client:
            answer = client.request("GET" if line is None else "POST", f"/lines/{word}", content=line)
        return answer.status_code, answer.text

    return say


def badge_of(hall, person):
    issued = hall.call(person, "POST", "/api/lines/badges", {})
    assert issued.status_code == 200, issued.text
    return issued.json()["badge"]


def test_a_badge_stands_for_its_holder_and_nothing_else_does(served, say):
    assert say("who", "acme.member") == (200, "OK acme-member\n")
    assert say("who", "globex.viewer") == (200, "OK globex-viewer\n")
    assert say("who") == (401, "ERR unauthenticated Sign in first: this needs a credential.\n")
    forged = badge_of(served, "acme.member").replace(":", ":x", 1)
    assert say("who", badge=forged) == (401, "ERR unauthenticated This badge is not one of ours.\n")
    assert say("hello") == (200, "OK hello, whoever you are\n")


def test_its_operations_pass_the_gates_of_rows(served, say):
    assert say("add", "acme.member", b"a line") == (200, "OK added\n")
    status, refusal = say("add", "acme.viewer", b"a line")
    assert (status, refusal) == (403, "ERR permission_denied This needs the permission notes:write.\n")
    assert say("add", "acme.member", b"x" * 2000)[0] == 413
    assert say("burn", "acme.member")[0] == 404
    badge = badge_of(served, "acme.member")
    served.call("acme.owner", "POST", "/api/plugins/lines", {"enabled": False}).raise_for_status()
    try:
        assert say("who", badge=badge)[1].startswith("ERR feature_disabled ")
        assert say("who", "globex.member")[0] == 200
    finally:
        served.call("acme.owner", "POST", "/api/plugins/lines", {"enabled": True}).raise_for_status()


def test_a_suspended_company_reads_and_does_not_write(served, say):
    badge = badge_of(served, "acme.member")
    suspended = served.call("operator", "POST", "/api/orgs/acme/suspend", {})
    assert suspended.status_code == 200, suspended.text
    try:
        assert say("add", line=b"a line", badge=badge)[1].startswith("ERR org_suspended ")
        assert say("who", badge=badge) == (200, "OK acme-member\n")
        assert say("add", "globex.member", b"a line") == (200, "OK added\n")
    finally:
        served.call("operator", "POST", "/api/orgs/acme/resume", {}).raise_for_status()


def test_who_names_nobody_is_held_to_the_rate_of_a_stranger(serve, tmp_path):
    with serve(tmp_path, SERVICE_LINES_RATE_LIMIT="6") as hall:
        say, badge = speaker(hall), badge_of(hall, "acme.member")
        assert say("who", badge=badge)[0] == 200
        assert [say("hello")[0] for _ in range(3)] == [200, 429, 429]
        assert say("who", badge="a:b:forged")[0] == 429
        refused = say("who", badge=badge)
        assert refused[0] == 429 and refused[1].startswith(
            "ERR rate_limited Too many requests; try again in "
        )


def test_its_requests_are_counted_and_logged_without_what_they_show(served, say):
    badge = badge_of(served, "acme.member")
    say("who", badge=badge)
    families = served.call("operator", "GET", "/api/metrics").json()["items"]
    (family,) = [one for one in families if one["name"] == "guildhall_lines_requests_total"]
    assert {"operation": "Who", "status": "200"} in [sample["labels"] for sample in family["samples"]]
    text = (served.where / "log").read_text()
    lines = [json.loads(line) for line in text.splitlines() if '"guildhall.lines"' in line]
    assert {"request.done"} == {line["action"] for line in lines}
    assert any(line["operation"] == "Who" and line["user"] for line in lines)
    assert badge not in text
