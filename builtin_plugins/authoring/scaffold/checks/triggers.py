from guildhall_testing.hall import Hall


async def test_an_upload_is_noticed(hall: Hall) -> None:
    uploaded = await hall.acme.member.request("PUT", "/api/repo/manual.txt", content=b"Mind your fingers.")
    await hall.drain_jobs()
    trail = (await hall.acme.admin.get("/api/audit?action=upload.noticed")).json()["items"]
    assert [item["target"]["id"] for item in trail] == [uploaded.json()["id"]]
