"""An integrator's own data behind a tool and a route: how long a shipment takes."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from guildhall_sdk import (
    EventCall,
    ExtensionCall,
    ExtensionRoute,
    InvalidRequest,
    JobFailed,
    JobKind,
    Parameter,
    Principal,
    Reader,
    RemoteCall,
    Subscription,
    Tool,
    UserError,
    hookimpl,
)
from guildhall_sdk.schema import integer, obj, shape, string

_log = logging.getLogger("guildhall.integrator-demo")
DAYS = {"rotterdam-newyork": 11, "hamburg-shanghai": 32, "reykjavik-rotterdam": 4}

_LANE = string(
    min_length=1, max_length=100, description=f"One of {', '.join(DAYS)}", examples=["hamburg-shanghai"]
)
_ETA = shape({"lane": string(), "days": integer(0)})


def estimate(lane: str) -> dict[str, Any]:
    if lane not in DAYS:
        raise UserError(f"There is no such lane; the lanes are {', '.join(DAYS)}.")
    return {"lane": lane, "days": DAYS[lane]}


async def shipment_eta(
    _reader: Reader, _principal: Principal, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    return estimate(arguments["lane"])


async def eta_query(call: ExtensionCall) -> dict[str, Any]:
    if "lane" not in call.query:
        raise InvalidRequest.at("?lane", "is required")
    return estimate(call.query["lane"])


async def eta_body(call: ExtensionCall) -> dict[str, Any]:
    return estimate(call.body["lane"])


async def report_lane(job: RemoteCall) -> dict[str, Any]:
    """Runs on the integrator's own machine, by `guildhall worker`."""
    try:
        return {**estimate(job.payload["lane"]), "notes": f"attempt {job.attempt}"}
    except UserError as error:
        raise JobFailed("unknown_lane", error.detail) from None


async def hold_shipments(call: EventCall) -> None:
    """The integrator's own systems hear of a company that is suspended; here it is a line in the log."""
    _log.info("shipments.held", extra={"fields": {"org": call.payload.org_id, "delivery": call.id}})


def check_report(result: Any) -> str | Literal[False]:
    """What is wrong with a report, or False."""
    if not isinstance(result, dict) or not set(result) <= {"lane", "days", "notes"}:
        return "it must be {lane, days, notes?} and nothing else"
    if not isinstance(result.get("lane"), str):
        return "lane must be a text"
    days = result.get("days")
    if isinstance(days, bool) or not isinstance(days, int) or days < 0:
        return "days must be a whole number, 0 or more"
    if not isinstance(result.get("notes", ""), str):
        return "notes must be a text"
    return False


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return [
        JobKind(
            name="x.integrator-demo.lane-report",
            doc="Reports how long a lane takes, from the integrator's own systems.",
            validator=check_report,
            worker=report_lane,
            payload=obj({"lane": _LANE}, required=["lane"], example={"lane": "hamburg-shanghai"}),
        )
    ]


@hookimpl
def declare_subscriptions() -> Sequence[Subscription]:
    return [
        Subscription(
            name="hold-shipments",
            event="company.suspended",
            handler=hold_shipments,
            doc="Holds the shipments of a company that is suspended.",
        )
    ]


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return [
        Tool(
            name="shipment_eta",
            description="Estimates how many days a shipment takes on a lane.",
            permission="chat:use",
            handler=shipment_eta,
            parameters=[Parameter("lane", "string", f"One of {', '.join(DAYS)}")],
        )
    ]


@hookimpl
def declare_extension_routes() -> Sequence[ExtensionRoute]:
    doc = "Estimates how many days a shipment takes on a lane."
    body = obj({"lane": _LANE}, required=["lane"], example={"lane": "rotterdam-newyork"})
    return [
        ExtensionRoute("GET", "/eta", "chat:use", eta_query, doc, query={"lane": _LANE}, reply=_ETA),
        ExtensionRoute("POST", "/eta", "chat:use", eta_body, doc, body=body, query={}, reply=_ETA),
    ]
