from guildhall_testing.hall import Hall

GREETING = "/api/x/sample-plugin/greeting"


async def test_somebody_is_greeted_by_name(hall: Hall) -> None:
    answer = await hall.acme.member.post(GREETING, {"name": "Ada"})
    assert answer.json() == {"text": "Welcome to the hall, Ada."}
    refused = await hall.acme.member.post(GREETING, {"name": ""})
    assert refused.status_code == 400
    assert (await hall.acme.viewer.get(GREETING)).json()["text"].startswith("Welcome to the hall, ")
