from guildhall_testing.hall import Hall


async def test_a_run_of_the_workflow_shortens_a_text(hall: Hall) -> None:
    path = "/api/workflows/sample-plugin-shorten/run"
    run = (await hall.acme.member.post(path, {"input": {"text": "one two three"}})).json()
    await hall.drain_jobs()
    done = (await hall.acme.member.get(f"/api/runs/{run['id']}")).json()
    assert done["state"] == "succeeded"
