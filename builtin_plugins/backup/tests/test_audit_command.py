"""`guildhall audit verify` on an instance that somebody with the database in their hands has changed."""

import pytest

from builtin_plugins.backup.tests.conftest import ADA, call, post

pytestmark = pytest.mark.any_database


def write_note(place):
    with place.serving() as base_url:
        token = post(f"{base_url}/api/login", ADA)["token"]
        post(f"{base_url}/api/notes", {"title": "x"}, token)
        return call(base_url, token, "GET", "/api/whoami")["org"]["id"]


def outcome(place, *words):
    done = place.run("audit", "verify", *words)
    return done.returncode, done.output


async def test_what_was_cut_or_removed_is_named(restored, tmp_path):
    heads = {head["chain"]: head for head in await restored.read("SELECT * FROM audit_heads")}
    org_id = write_note(restored)
    assert outcome(restored)[0] == 0

    old = heads[org_id]
    await restored.change("DELETE FROM audit_events WHERE chain = :c AND seq > :s", c=org_id, s=old["seq"])
    await restored.change(
        "UPDATE audit_heads SET seq = :s, mac = :m, seal = :l WHERE chain = :c",
        s=old["seq"],
        m=old["mac"],
        l=old["seal"],
        c=org_id,
    )
    code, said = outcome(restored)
    assert code == 1 and f"chain {org_id}: event number {old['seq'] + 1} was anchored and is missing" in said
    elsewhere = (restored.data / "audit-anchors.log").rename(tmp_path / "copied.log")
    code, said = outcome(restored)
    assert code == 0 and "cannot be told from a whole one" in said
    code, said = outcome(restored, "--anchor", elsewhere)
    assert code == 1 and "was anchored and is missing" in said

    await restored.change("DELETE FROM audit_events WHERE chain = :c", c=org_id)
    await restored.change("DELETE FROM audit_heads WHERE chain = :c", c=org_id)
    code, said = outcome(restored)
    assert code == 1 and f"chain {org_id}: event number 1 is missing: the company is there" in said

    await restored.change("DELETE FROM audit_events")
    await restored.change("DELETE FROM audit_heads")
    code, said = outcome(restored)
    assert code == 1 and org_id in said and "note: there is no anchor" in said


async def test_a_file_without_anchors_is_refused(restored, tmp_path):
    (tmp_path / "empty.log").write_text('{"action":"request.done"}\n')
    for name in ("empty.log", "missing.log"):
        code, said = outcome(restored, "--anchor", tmp_path / name)
        assert code == 2 and name in said and "\n" not in said.strip()


async def test_anchors_that_cannot_be_read_are_said_in_one_line(restored):
    (restored.data / "audit-anchors.log").unlink()
    (restored.data / "audit-anchors.log").mkdir()
    code, said = outcome(restored)
    assert code == 2 and "audit-anchors.log cannot be read" in said and "\n" not in said.strip()


async def test_it_begins_where_it_is_told_to(restored):
    for when in ("checkpoint", "2030-01-01", "2030-01-01T12:00:00+01:00"):
        code, said = outcome(restored, "--since", when)
        assert code == 0 and "events before the checkpoints were not read again" in said
    code, said = outcome(restored, "--since", "yesterday")
    assert code == 2 and "--since yesterday: takes 'checkpoint' or a time" in said
