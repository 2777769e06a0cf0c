"""The plugin in a server: what it does when the server starts and stops, and what there is without it."""

import asyncio
from types import SimpleNamespace

import pytest

from builtin_plugins.audit.anchor_file import FILE, AnchorFile
from builtin_plugins.audit.chain import INSTANCE_CHAIN, PURPOSE
from builtin_plugins.audit.verification import verify
from builtin_plugins.retention.sweeper import RetentionSweeper, all_retained
from guildhall_sdk import Actor, Plugin, Statement, hookimpl
from guildhall_sdk.retention import AuditRetention
from guildhall_sdk.services.identity import Vault
from tests import commands

pytestmark = pytest.mark.any_database

NEWEST = Statement(
    "newest", *["SELECT action FROM audit_events WHERE org_id = :org_id ORDER BY seq DESC LIMIT 1"] * 2
)
EVENT = Statement("event", *["SELECT seq FROM audit_events WHERE action = 'stranger.left'"] * 2)


@pytest.mark.every_database
async def test_the_last_anchor_tells_of_what_others_did_when_they_stopped(open_hall):
    left = []

    @hookimpl
    async def on_stop(host):
        async with host.data.write(Actor("stranger")) as writer:
            writer.audit("stranger.left")
        async with host.data.read() as reader:
            left.append((INSTANCE_CHAIN, await reader.value(EVENT)))

    leaving = SimpleNamespace(PLUGIN=Plugin("aardvark", "Aardvark", "1.0", "It leaves."), on_stop=on_stop)
    async with open_hall(leaving) as hall:
        folder, key = hall.server.settings.data, hall.server.service(Vault).derive(PURPOSE)
        await hall.server.stop()
        last = AnchorFile(folder, key).read().anchors[-1]
    assert left and {*left} <= {(head.chain, head.seq) for head in last.heads}


async def test_without_the_plugin_the_chain_goes_on_and_nothing_is_anchored(open_hall):
    async with open_hall(SERVICE_PLUGINS_BLOCKED="audit", allow_refused=True) as hall:
        server = hall.server
        anchors = server.settings.data / FILE
        before = anchors.read_bytes() if anchors.exists() else None
        made = await hall.acme.owner.post("/api/notes", {"title": "Still chained", "body": ""})
        assert made.status_code == 201, made.text
        async with server.data.read() as reader:
            assert await reader.value(NEWEST, org_id=hall.acme.org_id) == "note.created"
        assert (await hall.acme.owner.get("/api/audit")).status_code == 404
        verdict = await verify(server.data, server.service(Vault).derive(PURPOSE))
        assert [fault for fault in verdict.faults if fault.kind != "eventless"] == []
        assert server.host.find_service(AuditRetention) is None
        assert "audit" not in {retained.name for retained in all_retained(server.host)}
        assert await RetentionSweeper(server.host).sweep() == 0
        await server.stop()
        assert (anchors.read_bytes() if anchors.exists() else None) == before


async def test_doctor_says_that_nothing_proves_the_trail(tmp_path):
    environ = commands.bare_environment(SERVICE_DATA=str(tmp_path), SERVICE_PLUGINS_BLOCKED="audit")
    done = await asyncio.to_thread(commands.run, environ, ["doctor"])
    row = next(line for line in done.stdout.splitlines() if line.startswith("plugins "))
    assert "audit is blocked" in row
    assert "no plugin proves the audit trail: it is written, without anchors and checkpoints" in row
