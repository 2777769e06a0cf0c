from guildhall_testing.hall import Hall

KIND = "x.sample-plugin.count-words"


async def test_words_are_counted_in_the_background(hall: Hall) -> None:
    job = {"kind": KIND, "payload": {"text": "to be or not to be"}}
    asked = (await hall.acme.member.post("/api/jobs", job)).json()
    await hall.drain_jobs()
    done = (await hall.acme.member.get(f"/api/jobs/{asked['id']}")).json()
    assert (done["state"], done["result"]) == ("succeeded", {"words": 6, "different": 4})
