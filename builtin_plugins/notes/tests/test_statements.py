"""What one note costs the database; `pytest -s` prints the statements in their order."""

from guildhall_testing.statements import before_statements

WRITE = "write-of-a-note"
# The caller at the gates and again in the transaction, the note, its entry in the index, storage, the trail.
MOST = 6


async def test_a_note_takes_few_statements(hall, hall_database, monkeypatch):
    await hall.acme.member.post("/api/notes", {"title": "Before", "body": "The trail has an end."})
    ran = []

    def note(call):
        if call.request_id == WRITE:
            ran.append(call.statement.name)

    before_statements(monkeypatch.setattr, note)
    written = {"title": "One", "body": "Two"}
    answer = await hall.acme.member.post("/api/notes", written, headers={"X-Request-ID": WRITE})
    assert answer.status_code == 201
    print(hall_database, *ran, sep="\n  ")  # noqa: T201
    assert 0 < len(ran) <= MOST
