"""A request over S3 is on the account of the company whose key signed it."""

from kernel.db.scopes import ScopedReader
from kernel.scope import current_scope


async def test_what_a_key_asks_for_is_of_its_companys_share(hall, bucket, open_bucket, monkeypatch):
    other = await open_bucket(hall.globex.owner)
    seen = {}
    plainly = ScopedReader.all

    async def noted(reader, statement, **binds):
        if current_scope.get().account.limited:
            seen.setdefault(statement.name, set()).add(current_scope.get().account.holder)
        return await plainly(reader, statement, **binds)

    monkeypatch.setattr(ScopedReader, "all", noted)
    await bucket.put_object(Key="a", Body=b"hello")
    assert await bucket.keys() == ["a"]
    acme, globex = hall.acme.owner.person.org_id, hall.globex.owner.person.org_id
    assert seen["key_in_use"] == {"gates"}
    assert seen["page"] == {acme}
    seen.clear()
    assert await other.keys() == []
    assert seen["page"] == {globex}
