"""Who may call: credentials, permissions, suspension, features."""

import secrets

from guildhall_sdk import Statement
from guildhall_testing.conformance.failure import ConformanceFailure
from guildhall_testing.conformance.samples import fill, make_ids
from guildhall_testing.conformance.trial import Trial

_FORGET = "DELETE FROM provision_failures"
_FORGET_GUESSES = Statement("forget_guesses", _FORGET, _FORGET)


async def without_a_credential(trial: Trial) -> None:
    """Checks that no, a foreign, malformed, unknown or expired token is 401, and says how to do better."""
    hall = trial.hall
    caller, path = await trial.owner_of_path(hall.acme)
    expired = await hall.with_token(caller, kind="session", expires_at=hall.clock.now_ms() - 1)
    async with trial.nothing_changes():
        for header in (
            None,
            "Bearer",
            "Basic YWRhOmFkYQ==",
            "Bearer ghs_short",
            "Bearer \x27; DROP TABLE users; --",
            f"Bearer ghs_{secrets.token_urlsafe(32)}",
            f"Bearer gha_{secrets.token_urlsafe(32)}",
            f"Bearer {expired.token}",
        ):
            headers = {} if header is None else {"Authorization": header}
            answer = await trial.call(hall.anonymous, path, headers=headers)
            answer.expect(401, "unauthenticated")
            # RFC 9728 has a row name its metadata there, too.
            if answer.response.headers.get("www-authenticate", "").split(" ")[0] != "Bearer":
                raise ConformanceFailure(f"{answer} without WWW-Authenticate: Bearer")


async def without_the_provisioning_token(trial: Trial) -> None:
    """Checks that nobody's, a wrong and a person's own token are 401, which the trail alone records."""
    hall = trial.hall
    _, path = await trial.owner_of_path(hall.acme)
    async with trial.nothing_changes(but=("audit_events", "audit_heads")):
        for caller in (hall.anonymous, hall.bearer("not-the-provisioning-token"), hall.operator):
            (await trial.call(caller, path)).expect(401, "unauthenticated")
    # Ten guesses would brake the host of a hall that many trials share.
    async with hall.server.data.write() as writer:
        await writer.run(_FORGET_GUESSES)


async def without_the_permission(trial: Trial) -> None:
    """Checks that a role or a scope without the permission is 403 and named."""
    hall, permission = trial.hall, trial.row.permission
    owner, path = await trial.owner_of_path(hall.acme)
    lacking = await trial.caller(hall.acme, permitted=False)
    others = [name for name in hall.server.roles.permissions if name != permission]
    scoped = await hall.with_token(owner, kind="session", scope=others)
    async with trial.nothing_changes():
        answer = await trial.call(lacking, path)
        if not trial.row.resource_decides:
            answer.expect(403, "permission_denied", permission=permission)
        elif answer.status not in (403, 404):
            raise ConformanceFailure(f"{answer} for somebody whom neither role nor resource admits")
        answer = await trial.call(scoped, path)
        answer.expect(403, "permission_denied", permission=permission)


async def with_an_api_token(trial: Trial) -> None:
    """Checks that what wants a person's session refuses a token."""
    owner, path = await trial.owner_of_path(trial.hall.acme)
    token = await trial.hall.with_token(owner)
    async with trial.nothing_changes():
        (await trial.call(token, path)).expect(403, "session_required")


async def with_an_empty_scope(trial: Trial) -> None:
    """Checks that an empty scope leaves only reading where no permission is named."""
    owner, path = await trial.owner_of_path(trial.hall.acme)
    scoped = await trial.hall.with_token(owner, kind="session", scope=[])
    async with trial.nothing_changes():
        answer = await trial.call(scoped, path)
    if trial.reads and not trial.row.unscoped:
        if answer.status in (401, 403):
            raise ConformanceFailure(f"{answer} though it reads, and names no permission")
    elif answer.status != 403 and not (trial.row.resource_decides and answer.status == 404):
        raise ConformanceFailure(f"{answer} to a credential whose scope is empty")


async def while_suspended(trial: Trial) -> None:
    """Reads go on as before; a write is 402 unless its row says that it may go on."""
    hall, row = trial.hall, trial.row
    caller, path = await trial.owner_of_path(hall.acme)
    if row.while_suspended:
        caller = await trial.caller(hall.acme, fresh=True)  # it may end the session that it is called with
    before = await trial.call(caller, path) if trial.reads else None
    await hall.suspend(hall.acme)
    try:
        if trial.reads or row.while_suspended:
            answer = await trial.call(caller, path)
            if answer.status == 402 or (before is not None and answer.status != before.status):
                raise ConformanceFailure(f"{answer} while the company is suspended")
        else:
            async with trial.nothing_changes():
                (await trial.call(caller, path)).expect(402, "org_suspended")
    finally:
        await hall.resume(hall.acme)
    if before is not None and before.status != row.status:
        places = [str(error["pointer"]) for error in before.problem.get("errors", ())]
        hint = [f"; give {place} an example in its schema" for place in places if place.startswith("?")]
        raise ConformanceFailure(f"{before} where {row.status} was due{hint[0] if hint else ''}")


async def with_the_feature_off(trial: Trial) -> None:
    """Checks that a feature that is off is 403 and named, and stays on for another team."""
    hall, feature = trial.hall, trial.row.feature
    assert feature is not None
    caller, path = await trial.owner_of_path(hall.acme)
    elsewhere = await trial.caller(hall.globex)
    missing = fill(trial.row.path, await make_ids(trial.parameters, await trial.maker(hall.globex), "sample"))
    await hall.set_feature(hall.globex, feature, True)
    await hall.set_feature(hall.acme, feature, False)
    try:
        async with trial.nothing_changes():
            (await trial.call(caller, path)).expect(403, "feature_disabled", feature=feature)
        answer = await trial.call(elsewhere, missing, method=trial.row.method)
        if answer.problem.get("code") == "feature_disabled":
            raise ConformanceFailure(f"{answer} though the feature is on for that team")
    finally:
        await hall.set_feature(hall.acme, feature, True)
