from guildhall_testing.hall import Hall

ITEMS = "/api/x/sample-plugin/items"


async def test_an_item_is_the_teams_own(hall: Hall) -> None:
    item = (await hall.acme.member.post(ITEMS, {"text": "Ring the harbour"})).json()
    assert (await hall.acme.viewer.get(f"{ITEMS}/{item['id']}")).json() == item
    assert (await hall.globex.owner.get(f"{ITEMS}/{item['id']}")).status_code == 404
    assert (await hall.acme.member.delete(f"{ITEMS}/{item['id']}")).status_code == 204
    assert (await hall.acme.viewer.get(ITEMS)).json()["items"] == []


async def test_the_list_is_read_page_by_page(hall: Hall) -> None:
    for text in ("one", "two", "three"):
        await hall.acme.member.post(ITEMS, {"text": text})
    first = (await hall.acme.viewer.get(f"{ITEMS}?limit=2")).json()
    rest = (await hall.acme.viewer.get(f"{ITEMS}?limit=2&cursor={first['next_cursor']}")).json()
    assert [item["text"] for item in first["items"] + rest["items"]] == ["three", "two", "one"]
    assert rest["next_cursor"] is None
