"""Steps that begin at the same moment are checked by shared statements, and each for itself all the same."""

import pytest

from builtin_plugins.workflows.tests.conftest import each, ref, tool

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def started_together(flows, **starters):
    """Starts a run for each while no job is claimed, lets them all go at once, and returns the runs' ends."""
    async with flows.hall.server.declared.scheduler.claimer._turn:
        begun = {name: (client, await flows.start(as_=client, x=name)) for name, client in starters.items()}
    await flows.hall.drain_jobs()
    return {name: await flows.read(run, as_=client) for name, (client, run) in begun.items()}


async def test_each_acts_as_its_own_starter_within_its_own_scope(flows):
    hall = flows.hall

    async def who(host, principal, arguments):
        return [principal.user_id, arguments["value"]]

    flows.toys.play = who
    await flows.publish(tool("a", ref("input.x")), inputs={"x": "string"})
    starters = {
        "member": hall.acme.member,
        "colleague": hall.acme.colleague,
        "narrow": await hall.with_token(hall.acme.member, scope=["workflows:run", "workflows:read"]),
        "wide": await hall.with_token(
            hall.acme.member, scope=["workflows:run", "workflows:read", "chat:use"]
        ),
    }
    ended = await started_together(flows, **starters)
    assert ended.pop("narrow")["error"]["code"] == "permission_denied"
    assert {name: run["output"]["result"] for name, run in ended.items()} == {
        name: [starters[name].user_id, name] for name in ended
    }


async def test_arguments_that_a_tool_does_not_take_fail_their_own_step_alone(flows):
    await flows.publish(tool("a", ref("input.x"), tool="count"), inputs={"x": "string"}, slug="refused")
    await flows.publish(tool("a", ref("input.x")), inputs={"x": "string"})
    async with flows.hall.server.declared.scheduler.claimer._turn:
        refused, well = await flows.start("refused", x="no number"), await flows.start(x="well")
    await flows.hall.drain_jobs()
    assert (await flows.read(refused))["state"] == "failed"
    assert (await flows.read(well))["output"] == {"result": "well"}


async def test_a_run_that_was_cancelled_meanwhile_does_nothing_and_its_neighbours_go_on(flows):
    member = flows.hall.acme.member
    await flows.publish(each("m", [1, 2], ref("input.x")), inputs={"x": "string"})
    async with flows.hall.server.declared.scheduler.claimer._turn:
        cancelled, well = await flows.start(x="cancelled"), await flows.start(x="well")
        assert (await member.post(f"/api/runs/{cancelled['id']}/cancel", {})).status_code == 200
    await flows.hall.drain_jobs()
    assert [call["value"] for call in flows.toys.calls] == ["well", "well"]
    assert (await flows.read(cancelled))["state"] == "cancelled"
    assert (await flows.read(well))["output"] == {"results": [{"result": "well"}] * 2}
