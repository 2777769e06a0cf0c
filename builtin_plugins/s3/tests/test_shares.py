"""A request over S3 is on the account of the company whose key signed it."""

from guildhall_testing.statements import before_statements


async def test_what_a_key_asks_for_is_of_its_companys_share(hall, bucket, open_bucket, monkeypatch):
    other = await open_bucket(hall.globex.owner)
    seen = {}

    def note(call):
        if call.account.limited and not call.writing:
            seen.setdefault(call.statement.name, set()).add(call.account.holder)

    before_statements(monkeypatch.setattr, note)
    await bucket.put_object(Key="a", Body=b"hello")
    assert await bucket.keys() == ["a"]
    acme, globex = hall.acme.owner.person.org_id, hall.globex.owner.person.org_id
    assert seen["key_in_use"] == {"gates"}
    assert seen["page"] == {acme}
    seen.clear()
    assert await other.keys() == []
    assert seen["page"] == {globex}
