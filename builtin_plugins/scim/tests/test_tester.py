"""What scim2-tester, which knows the RFCs, has to say."""

import asyncio

import httpx2
import pytest


@pytest.mark.short_on("sqlite")
@pytest.mark.every_database
async def test_the_conformance_tester_finds_no_failure(hall, directory):
    # Here: their models take longer to import than most modules of tests to run.
    from scim2_client.engines.httpx2 import SyncSCIMClient
    from scim2_tester import Status, check_server

    def check():
        headers = {"Authorization": f"Bearer {directory.token}"}
        with httpx2.Client(base_url=f"{hall.base_url}/scim/v2", headers=headers, trust_env=False) as client:
            return check_server(SyncSCIMClient(client))

    results = await asyncio.to_thread(check)
    wrong = [result for result in results if result.status not in (Status.SUCCESS, Status.COMPLIANT)]
    skipped = {result.title for result in wrong if result.status is Status.SKIPPED}
    failed = [f"{one.title}: {one.reason}" for one in wrong if one.status is not Status.SKIPPED]
    assert not failed, "\n".join(failed)
    assert not skipped
    assert len(results) > 100
