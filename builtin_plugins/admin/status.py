"""The instance at a glance, for its operator."""

from dataclasses import asdict, fields, replace
from typing import Any

from guildhall_sdk import Call, Host, Reader, Reply, Route
from guildhall_sdk.metrics import Metrics
from guildhall_sdk.schema import boolean, enum, integer, obj, shape, string
from guildhall_sdk.services.identity import Passwords, Vault
from guildhall_sdk.services.repository import Repository
from libs.sandbox import measure

# Each is the metric `guildhall_<name>`; the plugin that keeps notes counts them.
COUNTED = ("users", "teams", "orgs", "notes", "tokens", "audit_events", "tenants")

STATUS = obj(
    {
        "version": string(),
        "kdf": string(description="How passwords are hashed, and at what cost"),
        "tls": enum("off", "proxy", description="proxy: whoever stands in front speaks TLS; see base_url"),
        "multitenant": boolean(),
        "secrets_at_rest": shape(
            {
                "state": enum("sealed", "resealing", description="resealing: a rotation is not finished"),
                "cipher": string(),
                "key_id": string(description="The data key that seals now; its id, never the key"),
                "secrets": integer(0),
                "awaiting_reseal": integer(0, description="Still sealed by an older data key"),
            }
        ),
        "sandbox": shape(
            {
                "tier": enum("A", "B", "C", description="B: what reads documents is closed; C: limits alone"),
                "measured": shape(
                    {area.name: boolean() for area in fields(measure.Measured)},
                    description="Whether a hostile process in the sandbox was refused every attempt",
                ),
                "extraction": enum("confined", "unconfined", "refused"),
            }
        ),
        "counts": obj({name: integer(0) for name in COUNTED}, required=COUNTED),
    },
    required=["version", "kdf", "tls", "multitenant", "secrets_at_rest", "sandbox", "counts"],
)

ROUTES = (
    Route(
        "GET",
        "/api/admin/status",
        "status",
        "The state of the instance and how much it holds; of much as it was counted `Age` seconds ago",
        permission="instance:manage",
        reply=STATUS,
    ),
)


async def status(call: Call) -> Reply:
    settings = call.host.settings
    sandbox = await _sandbox(call.host)
    metrics = call.service(Metrics)
    async with call.read() as reader:
        answer = Reply(
            {
                "version": settings.version,
                "kdf": call.service(Passwords).kdf,
                "tls": _tls(settings.base_url),
                "multitenant": settings.multitenant,
                "secrets_at_rest": await _secrets_at_rest(call.host, reader),
                "sandbox": sandbox,
                "counts": {name: await _count(call.host, reader, name) for name in COUNTED},
            }
        )
    age = max(metrics.age_seconds(f"guildhall_{name}") for name in (*COUNTED, "secrets"))
    return replace(answer, headers={"Age": str(round(age))}) if age else answer


def _tls(base_url: str) -> str:
    """Returns the state of TLS: an https address is a promise of what stands before this server."""
    return "proxy" if base_url.startswith("https://") else "off"


async def _secrets_at_rest(host: Host, reader: Reader) -> dict[str, Any]:
    vault = await host.service(Vault).state(reader)
    return {
        "state": "resealing" if vault.awaiting_reseal else "sealed",
        "cipher": vault.cipher,
        "key_id": vault.key_id,
        "secrets": await _count(host, reader, "secrets"),
        "awaiting_reseal": vault.awaiting_reseal,
    }


async def _sandbox(host: Host) -> dict[str, Any]:
    found = await measure.measured()
    return {"tier": found.tier, "measured": asdict(found), "extraction": await _extraction(host)}


async def _extraction(host: Host) -> str:
    """Returns how documents are read; where nobody keeps documents, none is."""
    try:
        return await host.service(Repository).extraction()
    except LookupError:
        return "refused"


async def _count(host: Host, reader: Reader, name: str) -> int:
    """Counts by a metric; 0 where no plugin keeps such things."""
    return int(await host.service(Metrics).value(reader, f"guildhall_{name}") or 0)


HANDLERS = {"status": status}
